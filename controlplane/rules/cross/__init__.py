"""Rules about faults that lie between the layers."""
