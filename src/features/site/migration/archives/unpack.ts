import { createReadStream, createWriteStream } from "node:fs"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Readable, Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { readTar } from "../../../../core/text/tar.ts"
import { RemoteRefused } from "../../../code/mirrors/remote.ts"

/** The most files of an archive, and bytes of all of them: more is refused before it fills the disk. */
export const MOST_FILES = 500_000
export const MOST_BYTES = 64 * 2 ** 30
const LONGEST_PATH = 1_000

/**
 * What is unpacked: plain files with these names alone. A bare repository comes without its settings, its hooks and the folders that it borrows objects from,
 * which would be read here.
 */
const WANTED = [
  /^(?:schema|[a-z_]+_\d{6})\.json$/,
  /^(?:attachments|release_assets|uploads)\/.+$/,
  /^repositories\/[^/]+\/[^/]+\.git\/(?:HEAD|packed-refs|refs\/.+|objects\/[0-9a-f]{2}\/[0-9a-f]+|objects\/pack\/pack-[0-9a-f]+\.(?:pack|idx))$/,
  /^(?:VERSION|project\.bundle|project\.wiki\.bundle|tree\/project\.json|tree\/project\/[a-z_]+\.ndjson)$/,
]

interface Limits {
  readonly files?: number
  readonly bytes?: number
}

/**
 * Unpacks what an import needs of an archive (tar, compressed with gzip) into a folder for temporary files, which `remove` deletes. Links and devices are
 * skipped, as is any other name. Throws {@link RemoteRefused} for one that is damaged or too large.
 */
export async function unpack(file: string, signal: AbortSignal, { files = MOST_FILES, bytes = MOST_BYTES }: Limits = {}) {
  const folder = await mkdtemp(join(tmpdir(), "hearth-import-"))
  const remove = () => rm(folder, { recursive: true, force: true })
  let [count, left] = [0, bytes]
  const counted = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        left -= chunk.length
        done(left < 0 ? new RemoteRefused(`the archive has more than ${bytes} bytes`) : null, chunk)
      },
    })
  const source = createReadStream(file)
  try {
    const packed = source.pipe(createGunzip())
    source.on("error", (error) => packed.destroy(error))
    for await (const entry of readTar(packed)) {
      signal.throwIfAborted()
      if (++count > files) throw new RemoteRefused(`the archive has more than ${files} files`)
      const name = entry.name.replace(/^(?:\.\/)+/, "")
      const isSafe =
        name.length <= LONGEST_PATH && !name.includes("\0") && name.split("/").every((part) => part !== "" && part !== "." && part !== "..")
      if (!isSafe || !WANTED.some((pattern) => pattern.test(name))) continue
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await pipeline(Readable.from(entry.content), counted(), createWriteStream(join(folder, name), { flags: "wx", mode: 0o600 }))
    }
    return { folder, names: new Set(await readdir(folder)), remove }
  } catch (error) {
    await remove()
    signal.throwIfAborted()
    if (error instanceof RemoteRefused) throw error
    throw new RemoteRefused(`the archive can't be unpacked: ${error instanceof Error ? error.message : "it is damaged"}`)
  } finally {
    source.destroy()
  }
}
