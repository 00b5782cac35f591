import { refuse } from "../../../core/errors.ts"
import { storeContent, tooLarge } from "../packages/blobs.ts"
import { deleteFile, deleteVersion } from "../packages/change.ts"
import { publishFile } from "../packages/publish.ts"
import { type Answer, type Call, empty, type Registry } from "../packages/registry.ts"
import { findFile, findPackage, findVersion } from "../packages/store.ts"
import { requireRoom } from "../packages/usage.ts"
import { describe, filePath } from "./description.ts"
import { requireFileName, requireName, requireVersionName } from "./names.ts"

const TYPE = "generic"

/** Files of any kind, by name and version. */
export const generic: Registry = {
  type: TYPE,
  describeRefusal: ({ status, message }) => (status === 404 ? undefined : { type: "text/plain;charset=utf-8", body: `${message}\n` }),
  describe,
  filePath,
  routes: [
    { method: "PUT", path: "/:name/:version/:file", needs: "write", body: "stream", handle: upload },
    { method: "GET", path: "/:name/:version/:file", needs: "read", body: "none", handle: download },
    { method: "DELETE", path: "/:name/:version/:file", needs: "write", body: "none", handle: removeFile },
    { method: "DELETE", path: "/:name/:version", needs: "write", body: "none", handle: removeVersion },
  ],
}

const namesOf = ({ path: { name = "", version = "", file = "" } }: Call) => ({ type: TYPE, name, version, fileName: file })

async function find(call: Call) {
  const { read } = call.services.database
  const { name, version, fileName } = namesOf(call)
  const of = await findPackage(read, call, { type: TYPE, name })
  const found = of && (await findVersion(read, of, version))
  return found && (await findFile(read, found, fileName))
}

async function upload(call: Call): Promise<Answer> {
  const { services, owner } = call
  const actor = call.signedIn()
  const names = namesOf(call)
  requireName(names.name)
  requireVersionName(names.version)
  requireFileName(names.fileName)
  const limit = services.config.packages.maxBytes
  // What is refused anyway need not arrive first. Without a length, or when others are faster, it is refused afterwards.
  const length = Number(call.header("content-length") ?? 0)
  if (length > limit) throw tooLarge(limit)
  if (await find(call)) throw refuse.conflict(`${names.name} ${names.version} has a file ${names.fileName} already`)
  await requireRoom(services.database.read, services, actor, owner.id, { bytes: length, versions: 0 })
  const stored = await storeContent(services, call.stream.iterator({ destroyOnReturn: false }), limit)
  await publishFile(services, { owner, actor }, { ...names, stored, metadata: "{}", addsToVersion: true })
  return empty(201)
}

async function download(call: Call): Promise<Answer> {
  const file = await find(call)
  if (!file) throw refuse.notFound()
  return { file }
}

async function removeFile(call: Call): Promise<Answer> {
  const { services, owner } = call
  const actor = call.signedIn()
  await services.database.write((tx) => deleteFile(tx, services, { owner, actor }, namesOf(call)))
  return empty(204)
}

async function removeVersion(call: Call): Promise<Answer> {
  const { services, owner } = call
  const actor = call.signedIn()
  await services.database.write((tx) => deleteVersion(tx, services, { owner, actor }, namesOf(call)))
  return empty(204)
}
