"""Rules about faults that lie where the tasks are decided."""
