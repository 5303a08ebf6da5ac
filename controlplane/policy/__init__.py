"""What people write, checked, and resolved to a Stack."""
