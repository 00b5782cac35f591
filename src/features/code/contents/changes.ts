import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { partsToWrite } from "./paths.ts"
import type { ChangeFileOperation } from "./records.ts"
import type { Leaf, WorkingTree } from "./working-tree.ts"

/** A change to one file, parsed and validated as far as possible without reading the tree. */
export interface Change {
  readonly operation: ChangeFileOperation["operation"]
  readonly parts: readonly string[]
  readonly from: readonly string[] | undefined
  readonly content: Buffer | undefined
  readonly sha: string | undefined
}

/** Parses the changes of a request. `fieldOf` returns the client's name of a field. Refuses `invalid`. */
export function readChanges(files: readonly ChangeFileOperation[], fieldOf: (index: number, name: string) => string): readonly Change[] {
  return files.map(({ operation, path, content, sha, from_path }, index) => {
    if (operation === "rename" && !from_path) throw refuse.invalid(fieldOf(index, "from_path"), "is required to rename a file")
    return {
      operation,
      parts: partsToWrite(path, fieldOf(index, "path")),
      from: from_path && from_path !== path ? partsToWrite(from_path, fieldOf(index, "from_path")) : undefined,
      content: content === undefined ? undefined : readBase64(content, fieldOf(index, "content")),
      sha: sha || undefined,
    }
  })
}

/** The bytes that a text in base64 stands for, undefined if it is not. Line breaks are allowed; everything else is strict, so that no file is silently truncated. */
export function decodeBase64(text: string): Buffer | undefined {
  const plain = text.replaceAll(/[\r\n]/g, "")
  return plain.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(plain) ? Buffer.from(plain, "base64") : undefined
}

function readBase64(text: string, field: string): Buffer {
  const content = decodeBase64(text)
  if (!content) throw refuse.invalid(field, "must be base64 with padding")
  return content
}

/** Applies a change to the tree. Refuses `invalid` if it conflicts with the tree, and `notFound` for a missing file. */
export async function applyChange(tree: WorkingTree, change: Change): Promise<void> {
  const { operation, parts, from, content } = change
  switch (operation) {
    case "create":
      return from ? moveFile(tree, change, from) : createFile(tree, parts, content ?? NOTHING)
    case "upload":
      return (await tree.get(parts)) === undefined ? createFile(tree, parts, content ?? NOTHING) : updateFile(tree, change)
    case "update":
      return from ? moveFile(tree, change, from) : updateFile(tree, change)
    case "rename":
      // Clients that can't omit the content send an empty one to keep the existing content.
      return from ? moveFile(tree, { ...change, content: content?.length ? content : undefined }, from) : updateFile(tree, change)
    case "delete":
      await presentFile(tree, parts, change.sha)
      return tree.remove(parts)
  }
}

const NOTHING = Buffer.alloc(0)
const nameOf = (parts: readonly string[]): string => parts.join("/")

async function requireFree(tree: WorkingTree, parts: readonly string[]): Promise<void> {
  const there = await tree.get(parts)
  if (there === "directory") throw refuse.invalid("path", t`${nameOf(parts)} is a directory`)
  if (there) throw refuse.invalid("path", t`repository file already exists [path: ${nameOf(parts)}]`)
}

/** The file at a path, which must have the id that the caller sent. */
async function presentFile(tree: WorkingTree, parts: readonly string[], sha: string | undefined): Promise<Leaf> {
  const there = await tree.get(parts)
  if (!there) throw refuse.notFound(t`repository file does not exist [path: ${nameOf(parts)}]`)
  if (there === "directory") throw refuse.invalid("path", t`${nameOf(parts)} is a directory`)
  if (sha !== undefined && there.content !== sha)
    throw refuse.invalid(
      "sha",
      typeof there.content === "string"
        ? t`${nameOf(parts)} is no longer what it was: it is ${there.content}`
        : t`${nameOf(parts)} is no longer what it was: it is new`,
    )
  return there
}

/** Refuses symbolic links and submodules, which have no content to write. */
function requireRegular({ mode }: Leaf, parts: readonly string[]): void {
  if (mode === "120000") throw refuse.invalid("path", t`${nameOf(parts)} is a symbolic link, which is not written through`)
  if (mode === "160000") throw refuse.invalid("path", t`${nameOf(parts)} is a submodule`)
}

async function createFile(tree: WorkingTree, parts: readonly string[], content: Buffer): Promise<void> {
  await requireFree(tree, parts)
  await tree.put(parts, { mode: "100644", content })
}

async function updateFile(tree: WorkingTree, { parts, content, sha, operation }: Change): Promise<void> {
  const there = await presentFile(tree, parts, sha)
  if (operation === "rename") return
  requireRegular(there, parts)
  await tree.put(parts, { mode: there.mode, content: content ?? NOTHING })
}

/** Moves a file, keeping its content unless new content is given. */
async function moveFile(tree: WorkingTree, { parts, content, sha }: Change, from: readonly string[]): Promise<void> {
  const there = await presentFile(tree, from, sha)
  if (content) requireRegular(there, from)
  await tree.remove(from)
  await requireFree(tree, parts)
  await tree.put(parts, content ? { ...there, content } : there)
}

/** The default commit message: a line for each kind of change. */
export function defaultMessage(changes: readonly Change[]): string {
  const line = (verb: string, kinds: readonly Change["operation"][]): readonly string[] => {
    const names = changes.filter(({ operation }) => kinds.includes(operation)).map(({ parts }) => nameOf(parts))
    return names.length === 0 ? [] : [`${verb} ${names.join(", ")}`]
  }
  return [...line("Add", ["create"]), ...line("Update", ["update", "upload", "rename"]), ...line("Delete", ["delete"])].join("\n")
}
