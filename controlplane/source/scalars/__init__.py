"""What a scalar means to each of the three readers, and where they disagree."""
