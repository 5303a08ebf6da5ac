"""Rules about faults that lie where the memory is decided."""
