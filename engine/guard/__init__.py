"""The guard: judges every action, request and URL by the policy, and alone makes permits."""
