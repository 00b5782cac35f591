import { type SqlBool, sql } from "kysely"
import { visibleRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"

/** The most repositories of a network that are told, those nearest to its root, and the most levels of forks of forks. */
const MOST = 500
const GENERATIONS = 20

/** A repository of a network of forks. */
export interface NetworkNode {
  readonly id: number
  readonly owner: string
  readonly name: string
  readonly isPrivate: boolean
  readonly isArchived: boolean
  readonly stars: number
  readonly forks: number
  /** Unix seconds. */
  readonly updatedAt: number
  /** Its forks, the oldest first. */
  readonly children: readonly NetworkNode[]
}

export interface Network {
  /** One root, or several where the caller may not see what connects them. */
  readonly roots: readonly NetworkNode[]
  /** Whether there are more than five hundred. */
  readonly isCut: boolean
}

interface Row {
  readonly id: number
  readonly fork_of_id: number | null
  readonly owner: string
  readonly name: string
  readonly is_private: 0 | 1
  readonly is_archived: 0 | 1
  readonly stars_count: number
  readonly forks_count: number
  readonly updated_at: number
}

/** The tree of forks that a repository belongs to, as far as the caller may see it. One query. */
export async function forkNetwork(db: Handle, actor: Actor, repositoryId: number): Promise<Network> {
  const { rows } = await sql<Row>`
    with recursive above(id, fork_of_id, steps) as (
      select id, fork_of_id, 0 from repositories where id = ${repositoryId}
      union all
      select parent.id, parent.fork_of_id, above.steps + 1
      from repositories as parent join above on parent.id = above.fork_of_id where above.steps < ${sql.lit(GENERATIONS)}
    ), network(id, steps) as (
      select id, 0 from above where steps = (select max(steps) from above)
      union all
      select child.id, network.steps + 1
      from repositories as child join network on child.fork_of_id = network.id where network.steps < ${sql.lit(GENERATIONS)}
    )
    select repositories.id, repositories.fork_of_id, repository_owner.name as owner, repositories.name, repositories.is_private,
      repositories.is_archived, repositories.stars_count, repositories.forks_count, repositories.updated_at
    from network join repositories on repositories.id = network.id join users as repository_owner on repository_owner.id = repositories.owner_id
    where ${sql<SqlBool>`${visibleRepositories(actor)}`}
    order by network.steps, repositories.id limit ${sql.lit(MOST + 1)}`.execute(db)
  const told = rows.slice(0, MOST)
  const ids = new Set(told.map(({ id }) => id))
  const children = new Map<number | null, Row[]>()
  for (const row of told) {
    const parent = row.fork_of_id !== null && ids.has(row.fork_of_id) ? row.fork_of_id : null
    children.set(parent, [...(children.get(parent) ?? []), row])
  }
  const nodesBelow = (parent: number | null): readonly NetworkNode[] => (children.get(parent) ?? []).map(nodeOf)
  const nodeOf = (row: Row): NetworkNode => ({
    id: row.id,
    owner: row.owner,
    name: row.name,
    isPrivate: row.is_private === 1,
    isArchived: row.is_archived === 1,
    stars: row.stars_count,
    forks: row.forks_count,
    updatedAt: row.updated_at,
    children: nodesBelow(row.id),
  })
  return { roots: nodesBelow(null), isCut: rows.length > MOST }
}
