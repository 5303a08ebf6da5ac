# Thin names for `python3 dev.py`; the work is there.
.PHONY: demo test static check lock

demo test static check lock:
	python3 dev.py $@
