"""What vLLM understands: the command line of an engine."""
