"""Bundle x live objects -> ChangeSet: what changes, whose it is, in which order, and whether it is healthy. Pure."""
