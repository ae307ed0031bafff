"""Where curves come from: generated for the studies, or converted for the examples."""
