/** What was dropped: files, and those in folders with their paths. */

export interface Picked {
  /** With the folders that were dropped. */
  readonly path: string
  readonly file: File
}

/** At most `most` files. What lies in `.git` is left out. */
export async function droppedFiles(data: DataTransfer, most: number): Promise<readonly Picked[]> {
  // The list is gone once the event is over.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  if (entries.length === 0) return [...data.files].map((file) => ({ path: file.name, file }))
  const found: Picked[] = []
  const waiting = [...entries]
  for (let entry = waiting.shift(); entry && found.length < most; entry = waiting.shift()) {
    if (entry.name === ".git") continue
    const path = entry.fullPath.replace(/^\//, "")
    if (isFile(entry)) {
      const file = await fileOf(entry).catch(() => undefined)
      if (file) found.push({ path, file })
    } else if (isFolder(entry)) waiting.unshift(...(await entriesOf(entry, most)))
  }
  return found
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject))

/** A reader gives some entries at a time, and none when there are no more. */
async function entriesOf(folder: FileSystemDirectoryEntry, most: number): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<readonly FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])))
    if (some.length === 0) return all
    all.push(...some)
    if (all.length >= most) return all
  }
}
