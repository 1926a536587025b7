/**
 * Limits that the page itself checks. They equal those in src/limits.rs; a test compares the two.
 * docs/limits.md explains them.
 */
export const LIMITS = {
  columns_bytes: 65_536,
  gzip_members: 100_000,
  demands_bytes: 67_108_864,
  plan_bytes: 4_194_304,
  what_if_entries: 1_000,
  name_bytes: 500,
  settings: 200,
  setting_bytes: 1_000,
  filter_bytes: 4_096,
  link_characters: 200_000,
  link_bytes: 4_194_304,
  link_runs: 26,
} as const;
