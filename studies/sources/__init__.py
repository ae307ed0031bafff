"""Where the curves of the studies come from: generated, never downloaded."""
