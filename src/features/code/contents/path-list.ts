import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { LRUCache } from "lru-cache"
import type { Download } from "../../../core/download.ts"
import { t } from "../../../core/language/message.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import type { Services } from "../../../core/services.ts"
import { type FoundPath, indexPaths, searchPaths } from "../../../core/text/fuzzy.ts"
import { beginWork } from "../../../core/work.ts"
import type { Git } from "../../../git/index.ts"
import type { Located } from "./locate.ts"

/**
 * The paths of all files at a revision, for going to one by some of its letters. They depend on the tree alone, so that its id names them: pages fetch them once, in
 * one file of gzip in which a NUL follows each but the last, and again only where the tree is another one.
 */

/** The most files, and the most bytes of their paths: others are found in their folders. */
const MOST = 300_000
const BYTES = 32 * 1024 * 1024
/** All bytes that are kept of lists, as they are sent. */
const KEPT = 16 * 1024 * 1024

const packed = promisify(gzip)
const unpacked = promisify(gunzip)

const listsOf = onFirstUseOf((_: Git) => new LRUCache<string, Buffer>({ maxSize: KEPT, sizeCalculation: ({ length }) => length + 200 }))

async function packedList({ git }: Services, { git: repository, revision }: Located): Promise<Buffer> {
  const { tree } = revision.commit
  const key = `${repository.key}\0${tree}`
  const lists = listsOf(git)
  const known = lists.get(key)
  if (known) return known
  const list = await packed((await git.objects.paths(repository, tree, { most: MOST, bytes: BYTES })).join("\0"))
  lists.set(key, list)
  return list
}

/** The paths as a file. Throws GitError. */
export const pathList = (services: Services, located: Located): Download => ({
  tag: `"paths-${located.revision.commit.tree}"`,
  size: undefined,
  head: { type: TYPE },
  open: async () => ({ type: TYPE, content: await packedList(services, located) }),
})

/** Not gzip as an encoding: which of them a client takes need not be asked then. */
const TYPE = "application/octet-stream"

/** Paths that are looked at before others have their turn, and the steps that one takes. */
const TURN = 500
const STEPS = 20

/** The files that fit best to what someone typed, best first; without a text the first ones. Throws GitError, and refuses too much work. */
export async function findPaths(services: Services, located: Located, text: string, limit: number): Promise<readonly FoundPath[]> {
  const list = (await unpacked(await packedList(services, located))).toString("utf8")
  const paths = list === "" ? [] : list.split("\0")
  if (text.trim() === "") return paths.slice(0, limit).map((path) => ({ path, marked: [] }))
  const work = beginWork({ what: t("find a file"), steps: services.config.limits.workSteps })
  const search = searchPaths(indexPaths(paths), text, { limit })
  for (let at = 0; at < paths.length; at += TURN) {
    search.scan(at, Math.min(paths.length, at + TURN))
    await work.step(TURN * STEPS)
  }
  return search.found()
}
