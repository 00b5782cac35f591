/*
 * Someone puts a token on a build machine that is limited to one repository, and the machine is taken over. Whoever holds it tries all else that its owner may do:
 * every operation of the API, git, Git LFS, packages, other ways to make a repository, and every list that could tell what else there is.
 */
import { expect } from "vitest"
import { endOfLog } from "../../src/core/events/store.ts"
import { NOT_CHOSEN } from "../../src/core/limited-token.ts"
import type { Operation } from "../../src/core/operation.ts"
import { send as registry } from "../../src/features/packages/testing.ts"
import { createToken } from "../../src/features/people/sign-in/credentials/tokens.ts"
import { operations } from "../../src/operations.ts"
import { prepareCall } from "../examples/prepare.ts"
import { databaseKinds } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { basic, send } from "../support/http.ts"
import { openCheckedWorld, type Person, type Repository, type World } from "../support/world.ts"

/** They change nothing, or the token alone. */
const HARMLESS: ReadonlySet<string> = new Set([
  "deleteCurrentToken",
  "renderMarkdown",
  "renderMarkdownRaw",
  "renderMarkup",
  "repoRenderMarkdown",
  "repoRenderMarkdownRaw",
  "repoRenderMarkup",
  "repoGetFileContentsPost",
  // Each of its operations is judged, see repeats-and-batches.test.ts.
  "runBatch",
])

let made = 0

/** A token of the person for all scopes, limited to these. */
async function limited(
  { hearth: { services } }: Pick<World, "hearth">,
  userId: number,
  repositoryIds: readonly number[],
  ownerIds: readonly number[] = [],
  scopes: readonly string[] = ["all"],
): Promise<string> {
  const chosen = { repositoryIds, ownerIds }
  const { token } = await services.database.write((tx) =>
    createToken(tx, { userId, name: `limited ${++made}`, scopes, now: services.now(), chosen }),
  )
  return token
}

const config = { git: { pushToCreate: { user: true, organization: true } } }

withWorld(
  "a token that is limited to a repository",
  { open: (kind) => openCheckedWorld(kind, config), on: databaseKinds },
  ({ kind, test, world }) => {
    const call = (token: string, route: string, body?: unknown) => {
      const [method = "", path = ""] = route.split(" ")
      return send(world.hearth.url, method, path, { authorization: `token ${token}`, body })
    }
    const tried = async (token: string, route: string, body?: unknown) => `${(await call(token, route, body)).status} ${route}`

    // The rules are the same for both; the lists below run on each.
    const changing = kind === "sqlite" ? operations.filter(({ id, method }) => method !== "GET" && !HARMLESS.has(id)) : []

    test.for(changing.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
      "changes nothing else by %s",
      async ([, operation]) => {
        const { prepared, userId } = await preparedBy(operation)
        const other = await world.repository(await world.person())
        const token = await limited(world, userId, [other.id])
        const before = await endOfLog(world.hearth.services.database.read)
        const answer = await send(world.hearth.url, operation.method, prepared.address, {
          ...prepared.calling,
          authorization: operation.basicOnly ? basic("x", token) : `token ${token}`,
        })
        expect([403, 404], answer.text).toContain(answer.status)
        expect(await endOfLog(world.hearth.services.database.read)).toEqual(before)
      },
    )

    /** A call that would be done, and whose caller it is. */
    async function preparedBy(operation: Operation) {
      const prepared = await prepareCall(world, operation)
      const me = await send(world.hearth.url, "GET", "/user", { authorization: prepared.calling.authorization })
      const { id } = JSON.parse(me.text) as { id: number }
      return { prepared, userId: id }
    }

    let ann: Person
    let chosen: Repository
    let secret: Repository
    let open: Repository
    let token: string
    test.beforeAll(async () => {
      ann = await world.person()
      chosen = await world.repository(ann, { private: true, auto_init: true })
      secret = await world.repository(ann, { private: true, auto_init: true })
      open = await world.repository(ann, { auto_init: true })
      token = await limited(world, ann.id, [chosen.id])
      for (const { owner, repo } of [chosen, secret, open])
        await world.must(ann, `POST /repos/${owner}/${repo}/issues`, { title: `in ${repo}`, assignees: [ann.name] })
    })
    const at = ({ owner, repo }: Repository) => `/repos/${owner}/${repo}`

    test("reads and writes in it, reads what is public, and finds nothing else", async () => {
      expect([
        await tried(token, `GET ${at(chosen)}`),
        await tried(token, `GET ${at(chosen)}/contents/README.md`),
        await tried(token, `POST ${at(chosen)}/issues`, { title: "found" }),
        await tried(token, `POST ${at(chosen)}/branches`, { new_branch_name: "b" }),
        await tried(token, `PATCH ${at(chosen)}`, { description: "seen" }),
        await tried(token, `GET ${at(open)}`),
        await tried(token, `GET ${at(open)}/issues/1`),
        await tried(token, `POST ${at(open)}/issues/1/comments`, { body: "spam" }),
        await tried(token, `PATCH ${at(open)}`, { description: "seen" }),
        await tried(token, `PUT /user/starred/${open.owner}/${open.repo}`),
        await tried(token, `GET ${at(secret)}`),
        await tried(token, `GET ${at(secret)}/raw/README.md`),
        await tried(token, `GET ${at(secret)}/archive/main.zip`),
        await tried(token, "GET /user"),
        await tried(token, "GET /user/keys"),
        await tried(token, "GET /notifications"),
        await tried(token, "POST /user/repos", { name: "x" }),
        await tried(token, "POST /user/keys", { title: "x", key: "ssh-ed25519 AAAA" }),
      ]).toEqual([
        `200 GET ${at(chosen)}`,
        `200 GET ${at(chosen)}/contents/README.md`,
        `201 POST ${at(chosen)}/issues`,
        `201 POST ${at(chosen)}/branches`,
        `200 PATCH ${at(chosen)}`,
        `200 GET ${at(open)}`,
        `200 GET ${at(open)}/issues/1`,
        `403 POST ${at(open)}/issues/1/comments`,
        `403 PATCH ${at(open)}`,
        `403 PUT /user/starred/${open.owner}/${open.repo}`,
        `404 GET ${at(secret)}`,
        `404 GET ${at(secret)}/raw/README.md`,
        `404 GET ${at(secret)}/archive/main.zip`,
        "200 GET /user",
        "403 GET /user/keys",
        "403 GET /notifications",
        "403 POST /user/repos",
        "403 POST /user/keys",
      ])
      const said = JSON.parse((await call(token, `POST ${at(open)}/issues`, { title: "spam" })).text) as { message: string }
      expect(said.message).toBe(NOT_CHOSEN)
    })

    test("lists what was chosen and what is public, with the totals of these", async () => {
      await world.must(ann, `PUT /user/starred/${secret.owner}/${secret.repo}`)
      await world.must(ann, `PUT ${at(secret)}/subscription`)
      for (const path of [
        "/repos/search?limit=50&private=true",
        "/user/repos?limit=50",
        `/users/${ann.name}/repos?limit=50`,
        "/repos/issues/search?limit=50&state=all",
        "/repos/issues/search?limit=50&assigned=true",
        "/repos/issues/search?limit=50&created=true",
        "/user/starred",
        "/user/subscriptions",
        `/users/${ann.name}/activities/feeds?limit=50`,
        "/user/times",
        "/user/stopwatches",
        "/user/teams",
        "/user/orgs",
      ]) {
        const { status, text, headers } = await call(token, `GET ${path}`)
        expect([200, 403], `${path} ${text}`).toContain(status)
        expect(text, path).not.toContain(secret.repo)
        const whole = await send(world.hearth.url, "GET", path, { authorization: ann.authorization })
        const total = (of: Headers) => Number(of.get("x-total-count") ?? 0)
        if (whole.text.includes(secret.repo) && status === 200) expect(total(headers), path).toBeLessThanOrEqual(total(whole.headers) - 1)
      }
      const mine = JSON.parse((await call(token, "GET /user/repos")).text) as { name: string }[]
      expect(mine.map(({ name }) => name).toSorted()).toEqual([chosen.repo, open.repo].toSorted())
    })

    test("neither fetches, pushes, nor transfers large files elsewhere", async () => {
      const web = async (path: string, body?: object) =>
        (
          await fetch(`${world.hearth.url}/${path}`, {
            redirect: "manual",
            headers: {
              authorization: basic("oauth2", token),
              accept: "application/vnd.git-lfs+json",
              "content-type": "application/vnd.git-lfs+json",
            },
            ...(body && { method: "POST", body: JSON.stringify(body) }),
          })
        ).status
      const service = ({ owner, repo }: Repository, verb: string) => web(`${owner}/${repo}.git/info/refs?service=git-${verb}-pack`)
      const batch = ({ owner, repo }: Repository, operation: string) =>
        web(`${owner}/${repo}.git/info/lfs/objects/batch`, { operation, objects: [{ oid: "a".repeat(64), size: 1 }] })
      expect(await Promise.all([service(chosen, "upload"), service(chosen, "receive"), batch(chosen, "upload")])).toEqual([200, 200, 200])
      expect(await Promise.all([service(open, "upload"), service(open, "receive"), batch(open, "upload")])).toEqual([200, 403, 403])
      expect(await Promise.all([service(secret, "upload"), service(secret, "receive"), batch(secret, "download")])).toEqual([404, 404, 404])
      // Push to create.
      expect(await service({ ...secret, repo: "new" }, "receive")).toBe(404)
      for (const path of [`raw/branch/main/README.md`, `archive/main.zip`]) {
        expect(await web(`${chosen.owner}/${chosen.repo}/${path}`)).toBe(200)
        expect(await web(`${secret.owner}/${secret.repo}/${path}`)).toBe(404)
      }
    })

    test("a pass for large files ends with the token, and reaches no further", async () => {
      const own = await limited(world, ann.id, [chosen.id])
      const asked = await fetch(`${world.hearth.url}/${chosen.owner}/${chosen.repo}.git/info/lfs/objects/batch`, {
        method: "POST",
        headers: { authorization: basic("x", own), accept: "application/vnd.git-lfs+json", "content-type": "application/vnd.git-lfs+json" },
        body: JSON.stringify({ operation: "upload", objects: [{ oid: "b".repeat(64), size: 1 }] }),
      })
      const { objects } = (await asked.json()) as { objects: { actions: { upload: { href: string; header: Record<string, string> } } }[] }
      const upload = objects[0]?.actions.upload
      if (!upload) throw new Error("nothing to upload")
      const put = (href: string) => fetch(href, { method: "PUT", headers: upload.header, body: "x" }).then(({ status }) => status)
      expect(await put(upload.href.replace(chosen.repo, secret.repo))).toBe(404)
      expect(await put(upload.href.replace(chosen.repo, open.repo))).toBe(403)
      await world.hearth.services.database.write((tx) =>
        tx.updateTable("access_tokens").set({ expires_at: 1 }).where("last_eight", "=", own.slice(-8)).execute(),
      )
      expect(await put(upload.href)).toBe(401)
      expect((await call(own, "GET /user")).status).toBe(401)
    })

    test("brings nothing into a repository that was not chosen, nor out of one", async () => {
      const organization = await world.organization(ann)
      expect([
        await tried(token, `POST ${at(chosen)}/forks`, {}),
        await tried(token, `POST ${at(chosen)}/forks`, { organization: organization.name }),
        await tried(token, `POST ${at(open)}/forks`, { organization: organization.name }),
        await tried(token, `POST ${at(secret)}/forks`, {}),
        await tried(token, `POST ${at(chosen)}/transfer`, { new_owner: organization.name }),
        await tried(token, `POST /orgs/${organization.name}/repos`, { name: "x" }),
      ]).toEqual([
        `403 POST ${at(chosen)}/forks`,
        `403 POST ${at(chosen)}/forks`,
        `403 POST ${at(open)}/forks`,
        `404 POST ${at(secret)}/forks`,
        `403 POST ${at(chosen)}/transfer`,
        `403 POST /orgs/${organization.name}/repos`,
      ])
      const put = (owner: string) =>
        registry(world.hearth, { authorization: `token ${token}` }, `PUT ${owner}/generic/tool/1/a`, { body: "x" })
      expect([(await put(ann.name)).status, (await put(organization.name)).status]).toEqual([403, 403])
    })

    test("that is limited to an organisation has all of that, and nothing of another", async () => {
      const [one, other] = [
        await world.organization(ann, { visibility: "private" }),
        await world.organization(ann, { visibility: "private" }),
      ]
      const [inOne, inOther] = [
        await world.repository(one, { private: true, auto_init: true }),
        await world.repository(other, { private: true }),
      ]
      const wide = await limited(world, ann.id, [], [one.id])
      expect([
        await tried(wide, `GET ${at(inOne)}`),
        await tried(wide, `GET /orgs/${one.name}`),
        await tried(wide, `PATCH /orgs/${one.name}`, { description: "x" }),
        await tried(wide, `POST /orgs/${one.name}/repos`, { name: "later", private: true }),
        await tried(wide, `GET /repos/${one.name}/later`),
        await tried(wide, `POST ${at(inOne)}/forks`, { organization: other.name }),
        await tried(wide, `GET ${at(inOther)}`),
        await tried(wide, `GET /orgs/${other.name}`),
        await tried(wide, `GET /orgs/${other.name}/repos`),
        await tried(wide, `GET ${at(chosen)}`),
      ]).toEqual([
        `200 GET ${at(inOne)}`,
        `200 GET /orgs/${one.name}`,
        `200 PATCH /orgs/${one.name}`,
        `201 POST /orgs/${one.name}/repos`,
        `200 GET /repos/${one.name}/later`,
        `404 POST ${at(inOne)}/forks`,
        `404 GET ${at(inOther)}`,
        `404 GET /orgs/${other.name}`,
        `404 GET /orgs/${other.name}/repos`,
        `404 GET ${at(chosen)}`,
      ])
      const put = (owner: string) =>
        registry(world.hearth, { authorization: `token ${wide}` }, `PUT ${owner}/generic/tool/1/a`, { body: "x" })
      expect([(await put(one.name)).status, (await put(other.name)).status]).toEqual([201, 404])
    })

    test("follows what was chosen by its id, and is not widened when nothing of it is left", async () => {
      const [first, last] = [await world.repository(ann, { private: true }), await world.repository(ann, { private: true })]
      const own = await limited(world, ann.id, [first.id])
      await world.must(ann, `PATCH ${at(first)}`, { name: "renamed" })
      // Another one gets the name that was chosen.
      await world.must(ann, `PATCH ${at(last)}`, { name: first.repo })
      expect(await tried(own, `GET /repos/${ann.name}/renamed`)).toBe(`200 GET /repos/${ann.name}/renamed`)
      expect((await call(own, `GET ${at(first)}`)).status).toBe(404)
      await world.must(ann, `DELETE /repos/${ann.name}/renamed`)
      expect((await call(own, `GET ${at(first)}`)).status).toBe(404)
      expect((await call(own, `GET ${at(secret)}`)).status).toBe(404)
      expect((await call(own, `POST ${at(open)}/issues`, { title: "spam" })).status).toBe(403)
      // What its owner may no longer do, the token may not.
      const given = await world.person()
      await world.must(ann, `PUT ${at(chosen)}/collaborators/${given.name}`, { permission: "write" })
      const theirs = await limited(world, given.id, [chosen.id])
      expect((await call(theirs, `GET ${at(chosen)}`)).status).toBe(200)
      await world.must(ann, `DELETE ${at(chosen)}/collaborators/${given.name}`)
      expect((await call(theirs, `GET ${at(chosen)}`)).status).toBe(404)
    })

    test("is made by names of what its owner reaches, and by no token that is narrower", async () => {
      const stranger = await world.person()
      const make = (who: string, name: string, body: object) =>
        send(world.hearth.url, "POST", `/users/${name}/tokens`, {
          authorization: who,
          body: { name: `made ${++made}`, scopes: ["read:repository"], ...body },
        })
      const full = `${secret.owner}/${secret.repo}`
      expect((await make(stranger.basic, stranger.name, { repositories: [full] })).status).toBe(422)
      expect((await make(stranger.basic, stranger.name, { owners: [ann.name] })).status).toBe(422)
      expect((await make(ann.basic, ann.name, { repositories: ["no/such"] })).status).toBe(422)
      const right = await make(ann.basic, ann.name, { repositories: [full.toUpperCase(), full], owners: [ann.name] })
      expect(JSON.parse(right.text)).toMatchObject({ is_limited: true, repositories: [full], owners: [ann.name], expires_at: null })
      expect((await make(basic(ann.name, token), ann.name, {})).status).toBe(403)
      expect((await make(basic(ann.name, token), ann.name, { repositories: [`${chosen.owner}/${chosen.repo}`] })).status).toBe(403)
      // Who may only see what is public is not told the names of what is not.
      const narrow = await limited(world, ann.id, [], [], ["all", "public-only"])
      const listed = await send(world.hearth.url, "GET", `/users/${ann.name}/tokens?limit=50`, { authorization: basic(ann.name, narrow) })
      expect(listed.text).not.toContain(secret.repo)
    })

    test("of an administrator administers nothing", async () => {
      const admin = await limited(world, 1, [chosen.id])
      expect([
        await tried(admin, "GET /admin/users"),
        await tried(admin, `GET /user?sudo=${ann.name}`),
        await tried(admin, `GET ${at(secret)}`),
        await tried(admin, `GET ${at(chosen)}`),
        await tried(admin, "POST /admin/cron/forget_sessions"),
      ]).toEqual([
        "403 GET /admin/users",
        `403 GET /user?sudo=${ann.name}`,
        `404 GET ${at(secret)}`,
        `404 GET ${at(chosen)}`,
        "403 POST /admin/cron/forget_sessions",
      ])
    })
  },
)
