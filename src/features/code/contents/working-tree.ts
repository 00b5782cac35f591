import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { EntryMode, Git, ObjectBatch, ObjectId, Repository, TreeEntry } from "../../../git/index.ts"

/** An existing or new file. */
export interface Leaf {
  readonly mode: Exclude<EntryMode, "40000">
  /** The id of the existing blob, or the new bytes. */
  readonly content: ObjectId | Buffer
}

/** A mutable tree in memory; only the directories that are touched are read from the repository. */
export interface WorkingTree {
  /** The entry at a path: a file, `directory`, or undefined. Refuses `invalid` if a parent of the path is a file. */
  readonly get: (parts: readonly string[]) => Promise<Leaf | "directory" | undefined>
  /** The bytes of a file. Throws GitError `tooLarge` if it is too large to be read whole. */
  readonly read: (leaf: Leaf) => Promise<Buffer>
  /** Writes a file at a path that is free or has another file. */
  readonly put: (parts: readonly string[], leaf: Leaf) => Promise<void>
  /** Removes a file, and the directories that become empty. */
  readonly remove: (parts: readonly string[]) => Promise<void>
  /** Adds new objects to a batch. Returns the root's id. */
  readonly write: (batch: ObjectBatch) => ObjectId
}

type Node = Leaf | Folder
interface Folder {
  /** The stored tree, as long as its entries have not been read. */
  stored: ObjectId | undefined
  /** The entries of the stored tree, once they have been read. */
  before: readonly TreeEntry[]
  entries: Map<string, Node> | undefined
}

const isFolder = (node: Node): node is Folder => "entries" in node

/** Opens the tree of that id, or an empty one. */
export function openWorkingTree(git: Git, repository: Repository, root: ObjectId | undefined): WorkingTree {
  const top: Folder = { stored: root, before: [], entries: root === undefined ? new Map() : undefined }

  async function entriesOf(folder: Folder): Promise<Map<string, Node>> {
    if (folder.entries) return folder.entries
    const entries = folder.stored === undefined ? [] : await git.objects.readTree(repository, folder.stored)
    folder.before = entries
    folder.entries = new Map(
      entries.map(({ name, mode, id }): [string, Node] => [
        name,
        mode === "40000" ? { stored: id, before: [], entries: undefined } : { mode, content: id },
      ]),
    )
    return folder.entries
  }

  /** The directory that contains a path, and its ancestors. */
  async function folderOf(parts: readonly string[], make: boolean): Promise<readonly Folder[] | undefined> {
    const way = [top]
    for (const [index, part] of parts.slice(0, -1).entries()) {
      const folder = way.at(-1) ?? top
      const entries = await entriesOf(folder)
      let node = entries.get(part)
      if (node && !isFolder(node)) throw refuse.invalid("path", t`${parts.slice(0, index + 1).join("/")} is a file, not a directory`)
      if (!node) {
        if (!make) return undefined
        node = { stored: undefined, before: [], entries: new Map() }
        entries.set(part, node)
      }
      folder.stored = make ? undefined : folder.stored
      way.push(node)
    }
    return way
  }

  async function find(parts: readonly string[]): Promise<Node | undefined> {
    const folder = (await folderOf(parts, false))?.at(-1)
    return folder && (await entriesOf(folder)).get(parts.at(-1) ?? "")
  }

  function store(folder: Folder, batch: ObjectBatch): ObjectId {
    if (folder.stored !== undefined) return folder.stored
    const entries = [...(folder.entries ?? [])].map(([name, node]): TreeEntry => {
      if (isFolder(node)) return { name, mode: "40000", id: store(node, batch) }
      const { mode, content } = node
      return { name, mode, id: typeof content === "string" ? content : batch.blob(content) }
    })
    return batch.tree(entries, folder.before)
  }

  return {
    get: async (parts) => {
      const node = await find(parts)
      return node && isFolder(node) ? "directory" : node
    },
    read: async ({ content }) => (typeof content === "string" ? git.objects.readBlob(repository, content) : content),
    put: async (parts, leaf) => {
      const folder = (await folderOf(parts, true))?.at(-1) ?? top
      const entries = await entriesOf(folder)
      folder.stored = undefined
      entries.set(parts.at(-1) ?? "", leaf)
    },
    remove: async (parts) => {
      const way = await folderOf(parts, true)
      for (let depth = parts.length - 1; depth >= 0; depth--) {
        const folder = way?.[depth] ?? top
        const entries = await entriesOf(folder)
        folder.stored = undefined
        entries.delete(parts[depth] ?? "")
        if (entries.size > 0) break
      }
    },
    write: (batch) => store(top, batch),
  }
}
