import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { operations } from "../../src/operations.ts"
import { SPECIFIED } from "../../src/servers/api/missing.ts"

const run = promisify(execFile)

/** Operations that are not in the contract. */
const BEYOND = [
  "adminCreateAnnouncement",
  "adminDeleteAnnouncement",
  "adminDeleteToken",
  "adminListDeleted",
  "adminPurgeDeleted",
  "orgExportAudit",
  "orgListAudit",
  ...["org", "repo", "user"].flatMap((scope) => ["ListDeleted", "PurgeDeleted", "RestoreDeleted"].map((verb) => `${scope}${verb}`)),
  "adminEditAnnouncement",
  "adminListAnnouncements",
  "adminInvite",
  "adminAssignImportedPerson",
  "explainRequest",
  "orgEditNewcomerRules",
  "orgGetNewcomerRules",
  "repoApproveHeldRequest",
  "repoEditNewcomerRules",
  "repoGetNewcomerRules",
  "repoListHeldRequests",
  "repoRejectHeldRequest",
  "userListHeldRequests",
  "userWithdrawHeldRequest",
  "adminListDeeds",
  "adminListTokens",
  "adminListImportedPeople",
  "adminListUserOrgs",
  "adminSendTestMail",
  "approveWorkflowRun",
  "cancelWorkflowRun",
  "getNodeInfo",
  "listEvents",
  "issueTickCommentTask",
  "issueTickTask",
  "orgInviteToTeam",
  "orgListTeamInvitations",
  "orgListTokenDeeds",
  "orgWithdrawTeamInvitation",
  "repoComparePullRequestVersions",
  "repoGetContentsExtList",
  "repoEditMergeQueue",
  "repoEditQueuedPullRequest",
  "repoGetMergeQueue",
  "repoGetQueuedPullRequest",
  "repoQueuePullRequest",
  "repoUnqueuePullRequest",
  "repoGetImport",
  "repoGetPullRequestStack",
  "repoListImportFaults",
  "repoListTokenDeeds",
  "repoListPullRequestVersions",
  "repoMergePullRequestStack",
  "repoPreviewImport",
  "repoStartImport",
  "repoStopImport",
  "runBatch",
  "repoRenderMarkdown",
  "repoRenderMarkdownRaw",
  "repoRenderMarkup",
  "userCurrentSetSubscriptionLevel",
  "userDropSigningKey",
  "userClaimImportedPerson",
  "userCreateImports",
  "userImportArchive",
  "userGetNotificationSettings",
  "userListImportedPeople",
  "userListImports",
  "userStartImport",
  "userStopImport",
  "userKeepSigningKey",
  "userListSigningKeys",
  "userListTokenDeeds",
  "userUpdateNotificationSettings",
  "setPackageAccess",
  ...["admin", "org", "user", "repo"].flatMap((scope) =>
    ["ListHookDeliveries", "GetHookDelivery", "RedeliverHookDelivery", "RotateRunnerRegistrationToken"].map((verb) => `${scope}${verb}`),
  ),
]

/** Compares the API's own description with the facts of the API that existing clients use. */
describe("the contract", () => {
  let hearth: Hearth
  beforeAll(async () => {
    hearth = await startHearth({ halted: true, memory: true, config: { api: { notFoundBody: "specified" } } })
  })
  afterAll(() => hearth.close())

  it("agrees with every operation that is there", async () => {
    const script = new URL("contract.mjs", import.meta.url).pathname
    const { stdout } = await run(process.execPath, [script, `${hearth.url}/swagger.v1.json`, "--all"])
    const [, there, agree] = /contract: (\d+) of \d+ operations there, (\d+) agree/.exec(stdout) ?? []
    expect(stdout).not.toContain("differs")
    expect(Number(there)).toBe(operations.filter(({ id }) => !BEYOND.includes(id)).length)
    expect(agree).toBe(there)
  })

  it("is told since which version an operation is there", async () => {
    const versions = [...(await readFile(new URL("../../CHANGELOG.md", import.meta.url), "utf8")).matchAll(/^## (\S+)/gm)].map(
      ([, name]) => name,
    )
    for (const { id, since } of operations) expect(versions, id).toContain(since)
    const document = JSON.parse(await (await fetch(`${hearth.url}/swagger.v1.json`)).text())
    expect(document.paths["/admin/announcements"].get["x-since"]).toBe("0.2.0")
    expect(document.paths["/version"].get["x-since"]).toBe("0.1.0")
  })

  it("is told that a 404 has no body for the operations of the specification, and for no other", async () => {
    const contract = JSON.parse(await readFile(new URL("contract.json", import.meta.url), "utf8"))
    const seeds = Object.values<{ readonly id: string; readonly seed?: boolean }>(contract.operations).filter(({ seed }) => seed)
    expect([...SPECIFIED].toSorted()).toEqual(seeds.map(({ id }) => id).toSorted())
    const document = JSON.parse(await (await fetch(`${hearth.url}/swagger.v1.json`)).text())
    const told: string[] = []
    for (const one of Object.values<Record<string, unknown>>(document.paths).flatMap((path) => Object.values(path))) {
      const { operationId, responses } = Object(one)
      if (responses?.["404"]?.$ref === "#/responses/notFound") told.push(operationId)
    }
    expect(told.filter((id) => !SPECIFIED.has(id))).toEqual([])
    expect(told.length).toBeGreaterThan(25)
  })
})
