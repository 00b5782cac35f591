import { Mode, type ModeName, type Unit } from "../../../access/modes.ts"
import { isMapping, type Members } from "../../../core/yaml.ts"

/** What a job's token may do, from `permissions` of the workflow and of the job. */

/** Modes by unit of the repository, and whether the job may ask for tokens that identify it elsewhere. */
export type JobPermissions = Readonly<Partial<Record<Unit | "id-token", ModeName>>>

/** The units that a job's token can be granted. */
const GRANTED = [
  "repo.code",
  "repo.releases",
  "repo.issues",
  "repo.pulls",
  "repo.packages",
  "repo.actions",
  "repo.wiki",
  "repo.projects",
] as const
const ALL = [...GRANTED, "id-token"] as const
type Granted = (typeof ALL)[number]

/** The units by their names in workflows. Other names are accepted and grant nothing. */
const UNITS_NAMED: Readonly<Record<string, readonly Granted[]>> = {
  contents: ["repo.code", "repo.releases"],
  code: ["repo.code"],
  releases: ["repo.releases"],
  issues: ["repo.issues"],
  "pull-requests": ["repo.pulls"],
  packages: ["repo.packages"],
  actions: ["repo.actions"],
  wiki: ["repo.wiki"],
  projects: ["repo.projects"],
  "id-token": ["id-token"],
}

/** What runs of others' code may read at most. */
const UNTRUSTED: ReadonlySet<string> = new Set(["repo.code", "repo.releases", "repo.packages"] satisfies Granted[])

type Modes = ReadonlyMap<Granted, "none" | "read" | "write">

const modeOf = (value: unknown): "none" | "read" | "write" => (value === "read" || value === "write" ? value : "none")
const every = (mode: "none" | "read" | "write"): Modes => new Map(ALL.map((unit) => [unit, mode]))

/** What a workflow or job asks for; undefined where it says nothing. */
function asked(permissions: unknown): Modes | undefined {
  if (permissions === "read-all") return every("read")
  if (permissions === "write-all") return every("write")
  if (!isMapping(permissions)) return permissions === undefined || permissions === null ? undefined : every("none")
  const modes = new Map(every("none"))
  for (const [name, value] of Object.entries(permissions))
    for (const unit of Object.hasOwn(UNITS_NAMED, name) ? (UNITS_NAMED[name] ?? []) : []) {
      const mode = modeOf(value)
      if (Mode[mode] > Mode[modes.get(unit) ?? "none"]) modes.set(unit, mode)
    }
  return modes
}

/** Where nothing is said: everything but tokens for elsewhere. */
const DEFAULTS: Modes = new Map([...every("write"), ["id-token", "none"]])

export interface AskedPermissions {
  readonly workflow: Members
  readonly job: Members
  /** Whether the code comes from others, so that it may only read. */
  readonly isUntrusted: boolean
  /** What the calling job may do, for jobs of a called workflow. */
  readonly most?: JobPermissions | undefined
}

/** What a job's token may do: what the job asks for, or else its workflow, within the limits. Units that are not named are not granted. */
export function permissionsFor({ workflow, job, isUntrusted, most }: AskedPermissions): JobPermissions {
  const modes = asked(job["permissions"]) ?? asked(workflow["permissions"]) ?? DEFAULTS
  return Object.fromEntries(
    ALL.flatMap((unit) => {
      const limits = [
        modes.get(unit) ?? "none",
        ...(isUntrusted ? [UNTRUSTED.has(unit) ? "read" : "none"] : []),
        ...(most ? [most[unit] ?? "none"] : []),
      ]
      const mode = limits.reduce((least, limit) => (Mode[modeOf(limit)] < Mode[modeOf(least)] ? limit : least))
      return mode === "none" ? [] : [[unit, modeOf(mode)] as const]
    }),
  )
}
