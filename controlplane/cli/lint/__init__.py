"""What `controlplane lint` does before and after the rules: which files, how they are read, what is told."""
