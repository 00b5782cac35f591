/** Why someone is told of something. For each cause they choose whether it comes into their list, by mail, or not at all. */
export const CAUSES = [
  "assigned",
  "mentioned",
  "review_requested",
  "participating",
  "new_issue",
  "new_pull",
  "activity",
  "release",
  "run",
  "offer",
  "own",
] as const
export type Cause = (typeof CAUSES)[number]

/** What no one is told of who did not ask for it. */
const QUIET: ReadonlySet<Cause> = new Set(["release", "own"])

/** Whether it is told, in the list and by mail, to who has not chosen. */
export const isUsual = (cause: Cause): boolean => !QUIET.has(cause)
