"""The command line: one module a verb, one view a format. The only place that reads clock, environment and files."""
