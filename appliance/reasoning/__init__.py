"""The loop: plan, gather, find, bridge, conclude."""
