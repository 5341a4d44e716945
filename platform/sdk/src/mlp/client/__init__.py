"""The client: every API call defined once (`calls`), sent by two thin faces, `Client` and `AsyncClient`."""
