"""Calibration: how often every p, interval and band of curvewise is wrong, by simulation."""
