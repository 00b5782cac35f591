import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"

/** Shared by tests of the npm registry: archives and records as npm makes them. */

function header(path: string, size: number, type: string): Buffer {
  const made = Buffer.alloc(512)
  made.write(path, 0, 100)
  made.write("0000644\0", 100)
  made.write(`${size.toString(8).padStart(11, "0")}\0`, 124)
  made.write("00000000000\0", 136)
  made.write("        ", 148)
  made.write(type, 156)
  made.write("ustar\x0000", 257)
  const sum = made.reduce((total, byte) => total + byte, 0)
  made.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return made
}

const padded = (content: Buffer): Buffer => Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)])

/** An archive with these files; a `type` other than that of files is given after a bar: "package/link|2". */
export function tarOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const entries = Object.entries(files).flatMap(([name, text]) => {
    const [path = "", type = "0"] = name.split("|")
    const content = Buffer.from(text)
    return [header(path, content.length, type), padded(content)]
  })
  return Buffer.concat([...entries, Buffer.alloc(1024)])
}

export const tarballOf = (files: Readonly<Record<string, string | Buffer>>): Buffer => gzipSync(tarOf(files))

export interface Made {
  readonly name: string
  readonly version: string
  /** Further members of package.json. */
  readonly manifest?: object
  readonly tarball?: Buffer
  /** Further members of the record. */
  readonly more?: object
  /** In the place of the right ones. */
  readonly dist?: object
  readonly tag?: string
}

/** What `npm publish` sends. */
export function publication({ name, version, manifest = {}, tarball, more = {}, dist, tag = "latest" }: Made): string {
  const inside = { name, version, ...manifest }
  const bytes =
    tarball ?? tarballOf({ "package/package.json": JSON.stringify(inside), "package/index.js": `module.exports = "${version}"\n` })
  const digest = (algorithm: string, encoding: "hex" | "base64") => createHash(algorithm).update(bytes).digest(encoding)
  const told = dist ?? { integrity: `sha512-${digest("sha512", "base64")}`, shasum: digest("sha1", "hex") }
  return JSON.stringify({
    _id: name,
    name,
    "dist-tags": { [tag]: version },
    versions: { [version]: { ...inside, _id: `${name}@${version}`, dist: told } },
    _attachments: {
      [`${name}-${version}.tgz`]: { content_type: "application/octet-stream", data: bytes.toString("base64"), length: bytes.length },
    },
    ...more,
  })
}
