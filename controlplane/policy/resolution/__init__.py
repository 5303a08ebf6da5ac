"""From policies to a Stack, one derivation a module. Each value remembers its policy line or formula."""
