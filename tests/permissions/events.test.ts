/**
 * Every kind of event that is told × every kind of caller × every visibility × every credential: each has an event in the log, and every caller asks for all of them.
 */
import { Check } from "typebox/value"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { positionText } from "../../src/core/events/position.ts"
import { endOfLog } from "../../src/core/events/store.ts"
import { type Right, type Told, toldOf } from "../../src/features/events/stream/kinds.ts"
import { KINDS } from "../../src/features/events/stream/names.ts"
import { LiveEvent } from "../../src/features/events/stream/records.ts"
import { buildWorld, type Credential, credentials, type Role, roles, type Visibility, visibilities, type World } from "./world.ts"

interface Cell {
  readonly role: Role
  readonly credential: Credential
  readonly visibility: Visibility
}

const RANK: Readonly<Record<Role, number>> = {
  anonymous: 0,
  stranger: 0,
  reader: 1,
  writer: 2,
  administrator: 3,
  owner: 4,
  siteAdministrator: 4,
  inactive: 0,
  prohibited: 0,
}

/** Whether the caller hears of what happens in the organisation's repository, or of it, from the right alone. The narrow token is for none of these. */
function hears(right: Right, { role, credential, visibility }: Cell): boolean {
  if (role !== "anonymous" && credential === "narrow") return false
  const isLimited = role !== "anonymous" && credential === "publicOnly"
  const [isPublic, rank] = [visibility === "public", RANK[role]]
  const isShown = isPublic || (!isLimited && (rank > 0 || (visibility === "limited" && role !== "anonymous")))
  const isInsider = rank === 4 && !isLimited
  switch (right) {
    case "issue":
    case "repo.code":
    case "repo.wiki":
    case "repo.actions":
    case "planning":
    case "project":
    case "card":
    case "attachment":
    case "repository":
      return isShown
    // There is no row of the release: nobody knows whether it was a draft.
    case "release":
      return isShown && rank >= 2
    case "administration":
      return isShown && rank >= 3
    case "account":
    case "deleted":
    case "package":
      return isPublic || isInsider
    case "ownAccount":
      return isInsider
  }
}

describe("the permission matrix of events", () => {
  let hearth: Hearth
  let world: World
  let beginning: string

  beforeAll(async () => {
    const config = { security: { guesses: { perAccount: 100_000, perAddress: 100_000 } } }
    hearth = await startHearth({ halted: true, memory: true, config })
    world = await buildWorld(hearth)
    const { database } = hearth.services
    const first = await fetch(`${hearth.url}/api/v1/events`)
    beginning = first.headers.get("x-hearth-position") ?? ""
    expect(beginning).toBe(positionText(beginning.slice(0, 8), await endOfLog(database.read)))
    for (const visibility of visibilities) await append(visibility)
  })
  afterAll(() => hearth.close())

  /** One event of each kind, of this repository or organisation. */
  async function append(visibility: Visibility): Promise<void> {
    const { repository_id: id, org = "" } = world.parameters(visibility)
    const repositoryId = Number(id)
    await hearth.services.database.write(async (tx) => {
      const { id: ownerId } = await tx.selectFrom("users").select("id").where("lower_name", "=", org).executeTakeFirstOrThrow()
      const { id: issueId } = await tx
        .selectFrom("issues")
        .select("id")
        .where("repository_id", "=", repositoryId)
        .where("number", "=", 1)
        .executeTakeFirstOrThrow()
      const project = { repository_id: repositoryId, owner_id: null, creator_id: ownerId, title: "Plan", description: "" }
      const times = { created_at: 1, updated_at: 1 }
      const { id: projectId } = await tx
        .insertInto("projects")
        .values({ ...project, ...times, template_type: "none", card_type: "text_only" })
        .returning("id")
        .executeTakeFirstOrThrow()
      const named = { type: "generic", name: "tool", lower_name: "tool", created_at: 1 }
      const { id: packageId } = await tx
        .insertInto("packages")
        .values({ ...named, owner_id: ownerId, repository_id: repositoryId })
        .returning("id")
        .executeTakeFirstOrThrow()
      const data = { projectId, package: packageId, ownerId, wasPublic: visibility === "public", changed: ["name"] }
      for (const kind of KINDS) {
        const told = toldOf(kind)
        const ofAccount = told?.right === "account" || told?.right === "ownAccount"
        const account = told?.account ? { [told.account]: ownerId } : {}
        await tx
          .insertInto("events")
          .values({
            kind,
            actor_id: ownerId,
            repository_id: ofAccount ? 0 : repositoryId,
            issue_id: isOnIssue(told) ? issueId : 0,
            data: JSON.stringify({ ...data, ...account }),
            created_at: 1,
          })
          .execute()
      }
    })
  }

  const isOnIssue = (told: Told | undefined): boolean => ["issue", "card", "attachment"].includes(told?.right ?? "")

  /** What a caller is told, as kinds and visibilities. */
  async function heard(authorization: string | undefined): Promise<readonly string[]> {
    const found: string[] = []
    for (let after = beginning; ; ) {
      const response = await fetch(`${hearth.url}/api/v1/events?after=${after}`, { headers: authorization ? { authorization } : {} })
      expect(response.status).toBe(200)
      const records = (await response.text()).split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
      for (const record of records) {
        expect(Check(LiveEvent, record), JSON.stringify(record)).toBe(true)
        found.push(`${record.kind} ${record.owner.login.replace("org-", "")}`)
      }
      const next = response.headers.get("x-hearth-position") ?? ""
      if (next === after) return found.toSorted()
      after = next
    }
  }

  const cells = roles.flatMap((role) =>
    (role === "anonymous" ? (["password"] as const) : credentials).map((credential) => [role, credential] as const),
  )

  it.each(cells)("%s by %s", async (role, credential) => {
    const authorization = world.authorization(role, credential)
    if (role === "inactive" || role === "prohibited") {
      const { status } = await fetch(`${hearth.url}/api/v1/events`, { headers: { authorization: authorization ?? "" } })
      expect([401, 403]).toContain(status)
      return
    }
    const wanted = visibilities.flatMap((visibility) =>
      KINDS.flatMap((kind) => {
        const told = toldOf(kind)
        if (!told || !hears(told.right, { role, credential, visibility })) return []
        // Nobody is told of what a person marks whom not everyone sees.
        return told.ofShownPeople && visibility !== "public" ? [] : [`${kind} ${visibility}`]
      }),
    )
    expect(await heard(authorization)).toEqual(wanted.toSorted())
  })
})
