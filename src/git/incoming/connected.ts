import { isGitError } from "../model/errors.ts"
import type { ObjectId } from "../model/names.ts"
import { readLooseObject } from "../objects/loose.ts"
import { readCommit, readTree } from "../objects/objects.ts"
import { parseCommit, parseTree } from "../objects/parse.ts"
import type { Context } from "../process/context.ts"
import { idsIn, type Quarantined } from "./quarantine.ts"

/** With more commits to compare with, git finds out faster. */
const MOST_TIPS = 4

/** Reads a directory of the commits that are complete, at the path that is looked at. */
type Below = () => Promise<readonly ObjectId[]>

/**
 * Whether a few new objects obviously complete these commits: each is new or one of `tips`, which references name and which so are complete, and each entry of a new tree is new or
 * stands at the same path in a tip. Most pushes are like that, and cost no process then. False says only that git has to find out. That what new objects name is there, and of its kind, git has seen
 * when it took them in.
 */
export async function isPlainlyConnected(
  context: Context,
  quarantined: Quarantined,
  ids: readonly ObjectId[],
  tips: ReadonlySet<ObjectId>,
): Promise<boolean> {
  if (tips.size > MOST_TIPS) return false
  const { quarantine: _, ...stored }: Quarantined = quarantined
  const fresh = await idsIn(quarantined)
  const seen = new Set<ObjectId>()
  const rootsOfTips: Below = async () => Promise.all([...tips].map(async (id) => (await readCommit(context, stored, id)).tree))

  async function treeIsComplete(id: ObjectId, below: Below): Promise<boolean> {
    if (seen.has(id)) return true
    const sides = await below()
    if (sides.includes(id)) return true
    if (!fresh.has(id)) return false
    const found = await readLooseObject(context, quarantined, id)
    if (found?.type !== "tree") return false
    const inTips = await Promise.all(
      sides.map(async (side) => new Map((await readTree(context, stored, side)).map((entry) => [entry.name, entry]))),
    )
    for (const { name, mode, id: entry } of parseTree(quarantined.format, found.content)) {
      if (mode === "160000") continue
      const isTree = mode === "40000"
      const same = inTips.flatMap((entries) => {
        const other = entries.get(name)
        return other === undefined || other.mode === "160000" || (other.mode === "40000") !== isTree ? [] : [other.id]
      })
      if (same.includes(entry)) continue
      if (isTree ? !(await treeIsComplete(entry, async () => same)) : !fresh.has(entry)) return false
    }
    seen.add(id)
    return true
  }

  async function areComplete(left: ObjectId[]): Promise<boolean> {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      if (seen.has(id) || tips.has(id)) continue
      const found = fresh.has(id) ? await readLooseObject(context, quarantined, id) : undefined
      if (found?.type !== "commit") return false
      const { tree, parents } = parseCommit(id, found.content)
      if (!(await treeIsComplete(tree, rootsOfTips))) return false
      seen.add(id)
      left.push(...parents)
    }
    return true
  }

  try {
    return await areComplete([...ids])
  } catch (error) {
    if (isGitError(error)) return false
    throw error
  }
}
