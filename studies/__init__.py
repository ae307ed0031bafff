"""The papers' experiments, re-made on the public names of curvewise."""
