# Thin names for `python3 dev.py`; the work is there.
.PHONY: demo test check lock soak

demo test check lock:
	python3 dev.py $@

soak:
	python3 dev.py test -m soak --timeout 7200
