# Thin names for `python3 dev.py`; the work is there.
.PHONY: demo test static check lock soak

demo test static check lock:
	python3 dev.py $@

# Feeds lint with whatever comes; MINUTES=20 goes on for longer.
MINUTES ?= 5
soak:
	.venv/bin/python -m tests.soak.lint $(MINUTES)
