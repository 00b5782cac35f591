import { hash } from "node:crypto"
import { LRUCache } from "lru-cache"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { beginWork } from "../../../core/work.ts"
import { usersById } from "../../code/repositories/store.ts"
import { beginChange, removePackage, removeVersions, requirePackage, requireVersion, setAccess } from "../packages/change.ts"
import { type Answer, type BodyForm, type Call, type Registry, type Route, recordOf } from "../packages/registry.ts"
import { findAllVersions, findFiles, findFilesOfPackage, findPackage, findTags, findVersion, type Package } from "../packages/store.ts"
import { describe } from "./description.ts"
import { newVersionIn, readFields, readJson, readRecord } from "./document.ts"
import { ABBREVIATED, presentVersion, tagsOf, tarballPath, type Whole, writeRecord } from "./metadata.ts"
import { editPackage, publishVersion, removeTag, requireRevision, TYPE, tagVersion } from "./publish.ts"
import { search } from "./search.ts"
import { findCreators } from "./store.ts"

type Handle = (call: Call, name: string) => Promise<Answer>

/** Tools write the slash of a scoped name as %2f, and some proxies write it out again. */
const ofPackage = (method: Route["method"], before: string, after: string, body: BodyForm, handle: Handle): readonly Route[] => [
  { method, path: `${before}/:name${after}`, needs: needsOf(method), body, handle: (call) => handle(call, call.path["name"] ?? "") },
  {
    method,
    path: `${before}/:scope/:name${after}`,
    needs: needsOf(method),
    body,
    handle: (call) => handle(call, `${requireScope(call)}/${call.path["name"] ?? ""}`),
  },
]

const needsOf = (method: Route["method"]): Route["needs"] => (method === "GET" ? "read" : "write")

/** Without the sign of a scope, two parts are no name. */
function requireScope({ path: { scope = "" } }: Call): string {
  if (!scope.startsWith("@") || scope.includes("/")) throw refuse.notFound()
  return scope
}

const reading = (path: string, handle: Route["handle"]): Route => ({ method: "GET", path, needs: "read", body: "none", handle })
/** Asks for something with a body that need not be read. */
const asking = (path: string, record: unknown): Route => ({
  method: "POST",
  path,
  needs: "read",
  body: "none",
  handle: async () => recordOf(record),
})

const NO_FINDINGS = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 }
const QUICK_AUDIT = {
  actions: [],
  advisories: {},
  muted: [],
  metadata: { vulnerabilities: NO_FINDINGS, dependencies: 0, devDependencies: 0, optionalDependencies: 0, totalDependencies: 0 },
}

/** The registry that npm, pnpm and yarn speak to. */
export const npm: Registry = {
  type: TYPE,
  describeRefusal: ({ message }) => ({ type: "application/json;charset=utf-8", body: JSON.stringify({ error: message }) }),
  describe,
  filePath: tarballPath,
  routes: [
    reading("/-/ping", async () => recordOf({})),
    reading("/-/whoami", async (call) => recordOf({ username: call.signedIn().user.name })),
    reading("/-/v1/search", async (call) => recordOf(await search(call))),
    // Nothing is known here about the faults of packages.
    asking("/-/npm/v1/security/advisories/bulk", {}),
    asking("/-/npm/v1/security/audits", QUICK_AUDIT),
    asking("/-/npm/v1/security/audits/quick", QUICK_AUDIT),

    ...ofPackage("GET", "/-/package", "/dist-tags", "none", async (call, name) => recordOf(tagsOf(await requireWhole(call, name)))),
    ...(["PUT", "POST"] as const).flatMap((method) =>
      ofPackage(method, "/-/package", "/dist-tags/:tag", "document", async (call, name) => {
        await tagVersion(call, name, call.path["tag"] ?? "", readJson(call.document))
        return recordOf({ ok: true }, 201)
      }),
    ),
    ...ofPackage("DELETE", "/-/package", "/dist-tags/:tag", "none", async (call, name) => {
      await removeTag(call, name, call.path["tag"] ?? "")
      return recordOf({ ok: true })
    }),
    ...ofPackage("GET", "/-/package", "/visibility", "none", async (call, name) => {
      const of = await requireFound(call, name)
      return recordOf({ public: of.is_restricted === 0 })
    }),
    ...ofPackage("POST", "/-/package", "/access", "document", async (call, name) => {
      const { access } = readFields(call.document)
      const { services, owner } = call
      const actor = call.signedIn()
      if (access !== "public" && access !== "restricted") throw refuse.badRequest("access must be public or restricted")
      await services.database.write((tx) => setAccess(tx, { owner, actor }, { type: TYPE, name }, access))
      return recordOf({ ok: true })
    }),

    reading("/:name", (call) => showPackage(call, call.path["name"] ?? "")),
    reading("/:scope/:name", ({ path: { scope = "", name = "" }, ...call }) =>
      scope.startsWith("@") && !scope.includes("/")
        ? showPackage({ ...call, path: {} }, `${scope}/${name}`)
        : showVersion({ ...call, path: {} }, scope, name),
    ),
    reading("/:scope/:name/:version", (call) =>
      showVersion(call, `${requireScope(call)}/${call.path["name"]}`, call.path["version"] ?? ""),
    ),
    ...ofPackage("PUT", "", "", "document", put),
    ...ofPackage("PUT", "", "/-rev/:revision", "document", put),
    ...ofPackage("DELETE", "", "/-rev/:revision", "none", async (call, name) => {
      const { services, owner } = call
      const actor = call.signedIn()
      await services.database.write(async (tx) => {
        const begun = await beginChange(tx, { owner, actor })
        const of = await requirePackage(tx, begun, { type: TYPE, name })
        requireRevision(of, call.path["revision"])
        await removePackage(tx, services, begun, of)
      })
      return recordOf({ ok: true })
    }),
    ...tarballs("/-/:version/:file"),
    ...tarballs("/-/:file"),
  ],
}

function tarballs(path: string): readonly Route[] {
  return [
    ...ofPackage("GET", "", path, "none", async (call, name) => ({ file: await requireTarball(call, name) })),
    ...ofPackage("DELETE", "", `${path}/-rev/:revision`, "none", removeVersion),
  ]
}

async function requireFound({ services, ...asking }: Call, name: string): Promise<Package> {
  const of = await findPackage(services.database.read, asking, { type: TYPE, name })
  if (!of) throw refuse.notFound(`there is no package ${name} here that is open to you`)
  return of
}

/** The package with all its versions. One without versions is missing. */
async function requireWhole(call: Call, name: string): Promise<Whole> {
  const { services, owner } = call
  const { read } = services.database
  const of = await requireFound(call, name)
  const packageId = of.id
  const versions = await findAllVersions(read, { packageId })
  if (versions.length === 0) throw refuse.notFound(`the package ${name} has no versions`)
  const [files, tags] = await Promise.all([findFilesOfPackage(read, { packageId }), findTags(read, { packageId })])
  const creators = await usersById(
    read,
    versions.flatMap(({ creator_id }) => (creator_id === null ? [] : [creator_id])),
  )
  return { site: services.site, owner, of, versions, files, tags, creators }
}

/** The most bytes of records that are kept. */
const MOST_KEPT = 64 * 1024 * 1024

const kept = new WeakMap<Services["database"], LRUCache<string, Promise<Buffer>>>()

function keptRecords({ database }: Services): LRUCache<string, Promise<Buffer>> {
  const there = kept.get(database)
  if (there) return there
  const made = new LRUCache<string, Promise<Buffer>>({ max: 1_000, maxSize: MOST_KEPT, ttl: 600_000 })
  kept.set(database, made)
  return made
}

/** The record of a package, written once for each state of it. */
async function showPackage(call: Call, name: string): Promise<Answer> {
  const { services, owner } = call
  const of = await requireFound(call, name)
  const form = (call.header("accept") ?? "").includes(ABBREVIATED) ? "short" : "whole"
  const creators = await findCreators(services.database.read, { packageId: of.id })
  const state = [services.site.rootUrl, owner.name, of.id, of.name, of.revision, creators.map(({ id, name: login }) => [id, login]), form]
  const tag = hash("sha256", JSON.stringify(state), "base64url")
  const records = keptRecords(services)
  const written = records.get(tag) ?? write()
  return { json: await written, tag, type: form === "short" ? ABBREVIATED : "application/json" }

  function write(): Promise<Buffer> {
    const steps = services.config.limits.workSteps
    const made = requireWhole(call, name).then((whole) =>
      writeRecord(whole, form, beginWork({ what: "write the record of this package", steps })),
    )
    records.set(tag, made, { size: 1 })
    made.then(
      (json) => records.set(tag, made, { size: json.length }),
      () => records.delete(tag),
    )
    return made
  }
}

/** A version by its number or a tag. */
async function showVersion(call: Call, name: string, wanted: string): Promise<Answer> {
  const whole = await requireWhole(call, name)
  const tags = tagsOf(whole)
  const number = Object.hasOwn(tags, wanted) ? tags[wanted] : wanted
  const version = whole.versions.find((each) => each.version === number)
  const record =
    version &&
    presentVersion(
      whole,
      version,
      whole.files.find((file) => file.version_id === version.id),
    )
  if (!record) throw refuse.notFound(`${name} has no version ${wanted}`)
  return recordOf(record)
}

async function put(call: Call, name: string): Promise<Answer> {
  const sent = readRecord(call.document)
  const document = sent.fields
  const wanted = await newVersionIn(sent, name)
  if (!wanted) {
    await editPackage(call, name, document, call.path["revision"])
    return recordOf({ ok: true })
  }
  await publishVersion(call, name, wanted, document["readme"])
  return recordOf({ ok: true }, 201)
}

/** The number of the version whose tarball has this name; the name is the version's own, or the version is in the path beside it. */
function versionIn({ path: { version, file = "" } }: Call, name: string): string {
  if (version !== undefined) return version
  const start = `${name.replace(/^@.*\//, "")}-`
  if (!file.startsWith(start) || !file.endsWith(".tgz")) throw refuse.notFound()
  return file.slice(start.length, -".tgz".length)
}

async function requireTarball(call: Call, name: string) {
  const { read } = call.services.database
  const of = await requireFound(call, name)
  const version = await findVersion(read, of, versionIn(call, name))
  const files = version ? await findFiles(read, { versionId: version.id }) : []
  const file = files.find((each) => each.name === call.path["file"])
  if (!file) throw refuse.notFound(`${name} has no file ${call.path["file"] ?? ""}`)
  return file
}

async function removeVersion(call: Call, name: string): Promise<Answer> {
  const { services, owner } = call
  const actor = call.signedIn()
  await services.database.write(async (tx) => {
    const begun = await beginChange(tx, { owner, actor })
    const of = await requirePackage(tx, begun, { type: TYPE, name })
    requireRevision(of, call.path["revision"])
    const version = await requireVersion(tx, of, versionIn(call, name))
    await removeVersions(tx, services, { owner: begun.owner, actor: actor.user }, of, [version])
  })
  return recordOf({ ok: true })
}
