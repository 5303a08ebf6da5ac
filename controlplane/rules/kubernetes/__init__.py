"""Rules about faults that lie where the machines are decided."""
