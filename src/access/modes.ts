/** Access modes, in order. Each includes those below it. */
export const Mode = { none: 0, read: 1, write: 2, admin: 3, owner: 4 } as const

export type ModeName = keyof typeof Mode

const NAMES: readonly ModeName[] = ["none", "read", "write", "admin", "owner"]

/** The name of a mode; "none" for any other number. */
export const modeName = (mode: number): ModeName => NAMES[mode] ?? "none"

/** The parts of a repository that are granted and switched on one by one. */
export const UNITS = [
  "repo.code",
  "repo.issues",
  "repo.pulls",
  "repo.releases",
  "repo.wiki",
  "repo.ext_wiki",
  "repo.ext_issues",
  "repo.projects",
  "repo.packages",
  "repo.actions",
] as const

export type Unit = (typeof UNITS)[number]

export const isUnit = (text: string): text is Unit => UNITS.some((unit) => unit === text)

/** Units that can be external: then they are only a link to another service. */
export const isExternalUnit = (unit: Unit): boolean => unit === "repo.ext_wiki" || unit === "repo.ext_issues"
