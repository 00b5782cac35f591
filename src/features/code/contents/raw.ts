import type { Readable } from "node:stream"
import { fileHeadersOf } from "../../../core/disposition.ts"
import { type Download, type OpenDownload, PDF } from "../../../core/download.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { Git, Repository, TreeEntry } from "../../../git/index.ts"
import { openFile } from "../lfs/files.ts"
import { findObject } from "../lfs/objects.ts"
import { POINTER_BYTES, readPointer } from "../lfs/pointers.ts"
import { findEntry, partsToRead } from "./paths.ts"
import { type RevisionView, repositoryOf } from "./present.ts"

/** The number of leading bytes inspected to detect text. */
const PROBED_BYTES = 8000
/** Files up to this size are read whole instead of streamed. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/** With a body, because clients tell by its message that a file is missing. */
export const missingFile = (): Refusal => refuse.notFound(undefined, { errors: [] })

/** The raw bytes of a file or symbolic link at a path. Refuses `missingFile` if there is neither. */
export const rawFile = async (view: RevisionView, path: string): Promise<Download> =>
  downloadOfBlob(view.services.git, repositoryOf(view), await locateBlob(view, path))

/** Like `rawFile`, but for an LFS pointer to an object that the repository has, the object's bytes. */
export async function mediaFile(view: RevisionView, path: string): Promise<Download> {
  const blob = await locateBlob(view, path)
  return (await largeFileOf(view, blob)) ?? downloadOfBlob(view.services.git, repositoryOf(view), blob)
}

interface Blob {
  readonly entry: TreeEntry
  /** Bytes. */
  readonly size: number
  /** What it holds, where that was read already. */
  readonly content?: Buffer | undefined
}

async function locateBlob(view: RevisionView, path: string): Promise<Blob> {
  const { git } = view.services
  const repository = repositoryOf(view)
  const entry = await findEntry(git, repository, view.revision.commit.tree, partsToRead(path))
  if (!entry || entry.mode === "40000" || entry.mode === "160000") throw missingFile()
  const found = await git.objects.look(repository, entry.id, MAX_BUFFERED_BYTES)
  if (!found) throw missingFile()
  return { entry, ...found }
}

async function largeFileOf(view: RevisionView, { entry, size, content }: Blob): Promise<Download | undefined> {
  const { services, owned } = view
  if (!services.config.lfs.enabled || size > POINTER_BYTES || !content || entry.mode === "120000") return undefined
  const pointer = readPointer(content)
  const object = pointer && (await findObject(services.database.read, owned.repository, pointer.oid))
  if (!object || object.size !== pointer.size) return undefined
  return {
    tag: `"${object.oid}"`,
    size: object.size,
    open: async () => {
      const file = await openFile(services, object.file)
      if (!file) throw new Refusal("internal", `the file of large file ${object.oid} is gone`)
      const content = file.read()
      return { ...deliver(entry.name, await peek(content)), content }
    },
  }
}

export function downloadOfBlob({ objects }: Git, repository: Repository, { entry, size, content: read }: Blob): Download {
  return {
    tag: `"${entry.id}"`,
    size,
    open: async () => {
      if (size <= MAX_BUFFERED_BYTES) {
        const content = read ?? (await objects.readBlob(repository, entry.id))
        return { ...deliver(entry.name, content), content }
      }
      const { content } = await objects.streamBlob(repository, entry.id)
      return { ...deliver(entry.name, await peek(content)), content }
    },
  }
}

/** Readers of PDF look for its mark in so many bytes. */
const PDF_MARK_WITHIN = 1024

/** Whether it is a document that browsers show, by its name and its first bytes. */
export const isPdf = (name: string, start: Buffer): boolean => /\.pdf$/i.test(name) && start.subarray(0, PDF_MARK_WITHIN).includes("%PDF-")

/** Images, videos and PDF get their type by file extension; all other text is served as plain text, and the rest as a download. */
function deliver(name: string, start: Buffer): Omit<OpenDownload, "content"> {
  const { type, disposition } = fileHeadersOf(name)
  if (/^(image|video)\//.test(type)) return { type, disposition }
  if (isPdf(name, start)) return { type: PDF, disposition: disposition.replace(/^\w+/, "inline") }
  const isText = !start.subarray(0, PROBED_BYTES).includes(0)
  return {
    type: isText ? "text/plain; charset=utf-8" : "application/octet-stream",
    disposition: disposition.replace(/^\w+/, isText ? "inline" : "attachment"),
  }
}

/** Peeks at the first bytes of a stream without consuming them. */
async function peek(content: Readable): Promise<Buffer> {
  await new Promise<void>((resolve, reject) => {
    content.once("readable", resolve).once("error", reject)
  })
  const start: unknown = content.read()
  if (!Buffer.isBuffer(start)) return Buffer.alloc(0)
  content.unshift(start)
  return start
}
