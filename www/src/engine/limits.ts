/**
 * Limits that the page itself checks. They equal those in src/limits.rs; a test compares the two.
 * docs/limits.md explains them.
 */
export const LIMITS = {
  columns_bytes: 65_536,
  gzip_members: 100_000,
  demands_bytes: 67_108_864,
  description_bytes: 1_048_576,
  plan_bytes: 4_194_304,
  what_if_entries: 1_000,
  name_bytes: 500,
  settings: 200,
  setting_bytes: 1_000,
  filter_bytes: 4_096,
  link_characters: 200_000,
  link_bytes: 4_194_304,
  link_runs: 26,
  exercise_bytes: 262_144,
  exercise_chapters: 30,
  exercise_jobs: 200,
  exercise_runs: 6,
  exercise_questions: 50,
  exercise_number: 1_000_000_000,
  answers_bytes: 524_288,
  answers_files: 1_000,
  own_bytes: 1_048_576,
  own_kept: 200,
  own_log_lines: 1_000,
  own_log_characters: 500,
} as const;
