"""The papers' experiments, repeated with the public names of curvewise only."""
