import type { Owned } from "../../../access/permission.ts"
import { mapInBatches } from "../../../core/batches.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { isObjectId, type ObjectId } from "../../../git/index.ts"
import { gitOf } from "../commits/revision.ts"
import { type ListedCommit, listCommitsForPages } from "./list.ts"
import { findNewestTips } from "./store.ts"

/** The most commits of a graph, and the most branches that it begins with: those with the newest commits. */
const MOST_COMMITS = 100
const MOST_BRANCHES = 200

/** A line from a lane in one row to a lane in the next row. */
export interface GraphEdge {
  readonly from: number
  readonly to: number
}

/** A commit's place: its lane, and the lines between its row and the next one. */
export interface GraphRow {
  readonly id: ObjectId
  readonly lane: number
  readonly edges: readonly GraphEdge[]
}

/** The history of branches as rows and lanes. */
export interface Graph {
  readonly rows: readonly (GraphRow & ListedCommit & { readonly branches: readonly string[] })[]
  /** How many lanes lie side by side. */
  readonly lanes: number
}

/** The newest hundred commits of the branches, or of those named, with the lines between them. One git process, and at most eight queries. */
export async function readGraph(services: Services, db: Handle, on: Owned, only: readonly string[] = []): Promise<Graph> {
  const { git } = services
  const repository = gitOf(services, on)
  const all = await findNewestTips(db, { repositoryId: on.repository.id, limit: MOST_BRANCHES })
  const branches = only.length === 0 ? all : all.filter(({ name }) => only.includes(name))
  const tips = [...new Set(branches.map(({ commit_id }) => commit_id))].filter((id) => isObjectId(id, repository.format))
  const ids = await git.history.newest(repository, tips, MOST_COMMITS)
  const commits = await mapInBatches(ids, (id) => git.objects.readCommit(repository, id))
  const { rows, lanes } = layOut(commits)
  const listed = await listCommitsForPages(services, db, on, commits)
  return {
    lanes,
    rows: listed.flatMap((each, index) => {
      const row = rows[index]
      return row ? [{ ...each, ...row, branches: branches.flatMap(({ name, commit_id }) => (commit_id === row.id ? [name] : [])) }] : []
    }),
  }
}

/** Gives each commit a lane. Children come before their parents; lines to parents that are not among the commits go on to the last row. */
export function layOut(commits: readonly { readonly id: ObjectId; readonly parents: readonly ObjectId[] }[]): {
  readonly rows: readonly GraphRow[]
  readonly lanes: number
} {
  // The commit that each lane leads to; undefined for a free lane.
  let waiting: readonly (ObjectId | undefined)[] = []
  let lanes = 0
  const rows = commits.map(({ id, parents }) => {
    const lane = placeOf(waiting, id)
    const before = [...waiting]
    before[lane] = id
    // Lines of other children end here.
    const after: (ObjectId | undefined)[] = before.map((each) => (each === id ? undefined : each))
    const edges: GraphEdge[] = before.flatMap((each, at) => (each === undefined || each === id ? [] : [{ from: at, to: at }]))
    for (const [index, parent] of [...new Set(parents)].entries()) {
      const there = after.indexOf(parent)
      const to = there !== -1 ? there : index === 0 ? lane : placeOf(after, undefined)
      after[to] = parent
      edges.push({ from: lane, to })
    }
    lanes = Math.max(lanes, before.length, after.length)
    waiting = trimmed(after)
    return { id, lane, edges }
  })
  return { rows, lanes }
}

/** The first lane that leads to this commit, or else the first free one. */
function placeOf(lanes: readonly (ObjectId | undefined)[], id: ObjectId | undefined): number {
  const there = lanes.indexOf(id)
  if (there !== -1) return there
  const free = lanes.indexOf(undefined)
  return free === -1 ? lanes.length : free
}

const trimmed = (lanes: readonly (ObjectId | undefined)[]) => lanes.slice(0, lanes.findLastIndex((each) => each !== undefined) + 1)
