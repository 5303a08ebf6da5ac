"""The only places that talk to the world: Kubernetes, Temporal, files, clock. Clients are imported lazily."""
