import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations } from "../../src/operations.ts"
import { pages } from "../../src/pages.ts"
import { freshHearth, type TestHearth } from "../support/hearth.ts"
import { sessionOf } from "../support/session.ts"

const forms = pages.filter(({ method }) => method === "POST")

/** Forms that call a verb themselves: for those about signing in there is no operation, the others do several things, or nothing but the one verb. */
const OWN_VERBS: readonly string[] = [
  "account.activate",
  "account.askRecovery",
  "account.changePassword",
  "account.recover",
  "actions.approve",
  "actions.cancel",
  "actions.rerun",
  "actions.rerunFailed",
  "actions.rerunJob",
  "commit.pick",
  "attachments.keep",
  "compare.open",
  "composer.preview",
  "files.stage",
  "files.unstage",
  "issue.bulk",
  "issue.comment",
  "issue.deleteCommentVersion",
  "issue.deleteVersion",
  "issue.fill",
  "issue.transfer",
  "mail.unsubscribe",
  "migration.preview",
  "notifications.mark",
  "notifications.read",
  "notifications.unsubscribe",
  "oauth2.authorizeByForm",
  "oauth2.deviceAnswer",
  "oauth2.deviceCode",
  "oauth2.grant",
  "organization.leave",
  "organization.member",
  "ownerProject.addCard",
  "personal.addReply",
  "personal.changeReply",
  "personal.choosePrimaryAddress",
  "personal.deleteAccount",
  "personal.deleteReply",
  "personal.leaveOrganization",
  "personal.rename",
  "personal.revokeGrant",
  "profile.follow",
  "project.addCard",
  "provider.decide",
  "provider.link",
  "pull.comment",
  "pull.resolveConflicts",
  "pull.revert",
  "pull.suggestions",
  "pull.viewed",
  "remembered.diffs",
  "remembered.dismiss",
  "remembered.theme",
  "repository.star",
  "repository.unstar",
  "repository.unwatch",
  "repository.watch",
  "security.addPasskey",
  "security.confirmTwoFactor",
  "security.disableTwoFactor",
  "security.endOtherSessions",
  "security.endSession",
  "security.removeLink",
  "security.removePasskey",
  "security.renewRecoveryCodes",
  "signIn.byPasskey",
  "signIn.byPassword",
  "signIn.confirm",
  "signIn.end",
  "signIn.newPassword",
  "signIn.second",
  "signUp.send",
  "team.acceptInvitation",
  "team.declineInvitation",
  "team.registerInvited",
  "settings.withdrawTransfer",
  "wiki.attach",
  // These change nothing: they show the form again with what was typed, rendered, or with what would be committed.
  "files.preview",
  "releases.preview",
  "wiki.preview",
]

describe("every form", () => {
  it("calls an operation, with its access, or is listed here", () => {
    const others = forms.filter(({ does, id }) => does === undefined && !OWN_VERBS.includes(id))
    expect(others.map(({ id }) => id)).toEqual([])
  })

  it("calls an operation that changes something and is served", () => {
    const odd = forms.filter(({ does }) => does && (does.method === "GET" || !operations.includes(does)))
    expect(odd.map(({ id }) => id)).toEqual([])
  })
})

/** How a form that calls an operation is answered. */
describe("forms", () => {
  let forge: TestHearth
  let root = ""
  let ann = ""
  let bob = ""
  const settings = "/ann/tools/settings"

  beforeAll(async () => {
    forge = await freshHearth("sqlite")
    const header = await forge.person("ann")
    await forge.person("bob")
    expect((await forge.call(header, "POST /user/repos", { name: "tools", auto_init: true, description: "Before" })).status).toBe(201)
    ann = await sessionOf(forge.hearth.url, "ann")
    bob = await sessionOf(forge.hearth.url, "bob")
    root = header
  })
  afterAll(() => forge.close())

  const send = (path: string, fields: string | Record<string, string>, cookie = ann): Promise<Response> =>
    fetch(forge.hearth.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { accept: "text/html", cookie, "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      body: new URLSearchParams(fields).toString(),
    })

  // Untyped, for tests.
  // biome-ignore lint/suspicious/noExplicitAny: records of several kinds
  const record = async (path: string): Promise<any> => (await forge.call(root, `GET ${path}`)).body

  it("do what the operation does, and lead on with a sentence", async () => {
    const answer = await send(settings, { description: "After", website: "https://tools.example", template: "true" })
    expect([answer.status, answer.headers.get("location")]).toEqual([303, settings])
    expect(decodeURIComponent(answer.headers.getSetCookie().join())).toContain("Saved.")
    expect(await record("/repos/ann/tools")).toMatchObject({ description: "After", website: "https://tools.example", template: true })
  })

  it("take a box without a tick for no, and members of members by their names", async () => {
    await send(settings, { description: "After" })
    expect((await record("/repos/ann/tools")).template).toBe(false)
    await send(`${settings}/units`, { has_issues: "true", has_wiki: "true", "internal_tracker.enable_issue_dependencies": "true" })
    expect(await record("/repos/ann/tools")).toMatchObject({
      has_issues: true,
      has_wiki: true,
      has_projects: false,
      internal_tracker: { enable_issue_dependencies: true, enable_time_tracker: false },
    })
  })

  it("take nothing but their own fields", async () => {
    await send(settings, { description: "Mine", archived: "true", has_wiki: "", name: "stolen", owner: "bob" })
    expect(await record("/repos/ann/tools")).toMatchObject({ description: "Mine", archived: false, has_wiki: true, name: "tools" })
  })

  it("show what was typed again, and what is wrong with it, and change nothing", async () => {
    const answer = await send(settings, { description: "Typed <b>", website: "https://ok.example", default_branch: "nowhere" })
    const page = await answer.text()
    expect(answer.status).toBe(422)
    expect(answer.headers.get("cache-control")).toContain("no-store")
    expect(page).toContain('value="Typed &lt;b&gt;"')
    expect(page).toContain('value="nowhere"')
    expect(page).toMatch(
      /aria-invalid="true"[^>]*aria-describedby="settings-about-default_branch-hint settings-about-default_branch-fault"/,
    )
    expect((await record("/repos/ann/tools")).description).toBe("Mine")
  })

  it("are shown again at an address where there is no page to follow", async () => {
    expect((await forge.call(root, "POST /repos/ann/tools/issues", { title: "Sharpen them" })).status).toBe(201)
    const page = await fetch(`${forge.hearth.url}/ann/tools/issues/1`, { headers: { accept: "text/html", cookie: ann } })
    const answer = await send("/ann/tools/issues/1/dependencies", { issue: "#99" })
    expect([await page.text(), await answer.text()].map((text) => /assets\/[^"]*live/.test(text))).toEqual([true, false])
  })

  it("are hidden from those who may not see what they change", async () => {
    for (const [cookie, status] of [
      [bob, 403],
      ["", 401],
    ] as const)
      expect((await send(settings, { description: "Others" }, cookie)).status).toBe(status)
    expect((await send("/ann/nothing/settings", {}, bob)).status).toBe(404)
    expect((await record("/repos/ann/tools")).description).toBe("Mine")
  })

  it("show both where two people have changed a text, and keep what only the other has changed", async () => {
    const fieldOf = (page: string, name: string) => new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(page)?.[1] ?? ""
    const look = async () => (await fetch(forge.hearth.url + settings, { headers: { accept: "text/html", cookie: ann } })).text()
    await send(settings, { description: "Begun", website: "https://begun.example" })
    const _shown = fieldOf(await look(), "_shown")
    const typed = { description: "By ann", website: "https://begun.example" }
    await forge.call(root, "PATCH /repos/ann/tools", { description: "By another", website: "https://another.example" })
    const stale = await send(settings, { ...typed, _shown })
    const page = await stale.text()
    expect(stale.status).toBe(409)
    expect(page).toContain('value="By ann"')
    expect(page).toMatch(/Current value[^<]*<\/p><pre[^>]*>By another<\/pre>/)
    expect([fieldOf(page, "website"), await record("/repos/ann/tools")]).toMatchObject([
      "https://another.example",
      { description: "By another" },
    ])
    // Another mistake does not make it forget what the reader began with.
    const again = { ...typed, website: fieldOf(page, "website"), _shown: fieldOf(page, "_shown") }
    expect((await send(settings, { ...again, default_branch: "nowhere" })).status).toBe(422)
    expect((await send(settings, again)).status).toBe(303)
    expect(await record("/repos/ann/tools")).toMatchObject({ description: "By ann", website: "https://another.example" })
  })

  it("offer the opposite of what was done, which is done by a button", async () => {
    const { number } = (await forge.call(root, "POST /repos/ann/tools/issues", { title: "Crash" })).body
    const [one, two] = await Promise.all(
      ["one", "two"].map(async (name) => (await forge.call(root, "POST /repos/ann/tools/labels", { name, color: "#aabbcc" })).body.id),
    )
    const labels = async () => (await record(`/repos/ann/tools/issues/${number}`)).labels.map(({ id }: { id: number }) => id).sort()
    const at = `/ann/tools/issues/${number}`
    const flashed = async (answer: Response, cookie = answer.headers.getSetCookie().find((each) => each.startsWith("hearth_flash"))) =>
      (await fetch(forge.hearth.url + at, { headers: { accept: "text/html", cookie: `${ann}; ${cookie?.split(";")[0]}` } })).text()
    /** The form beside the sentence, as a browser sends it. */
    const undoIn = (page: string) => {
      const form = /<form class="inline" method="post" action="([^"]*)">((?:(?!<\/form>).)*)<button class="small">Undo</.exec(page)
      const fields = [...(form?.[2] ?? "").matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(
        ([, name = "", value = ""]): [string, string] => [name, value],
      )
      return { action: form?.[1] ?? "", body: new URLSearchParams(fields).toString() }
    }
    await send(`${at}/labels`, `labels=${one}&labels=${two}`)
    const removed = await flashed(await send(`${at}/labels`, `labels=${two}`))
    expect([await labels(), removed]).toEqual([[two], expect.stringContaining("Labels updated.")])
    const undo = undoIn(removed)
    expect((await send(undo.action, undo.body)).status).toBe(303)
    expect(await labels()).toEqual([one, two].sort())

    const closed = undoIn(await flashed(await send(`${at}/comments`, { action: "close" })))
    expect((await record(`/repos/ann/tools/issues/${number}`)).state).toBe("closed")
    await send(closed.action, closed.body)
    expect((await record(`/repos/ann/tools/issues/${number}`)).state).toBe("open")

    for (const [verb, opposite, route] of [
      ["star", "unstar", "/user/starred/ann/tools"],
      ["unwatch", "watch", "/repos/ann/tools/subscription"],
    ] as const) {
      const before = (await forge.call(root, `GET ${route}`)).status
      const { action, body } = undoIn(await flashed(await send(`/ann/tools/action/${verb}`, {})))
      expect(action).toBe(`/ann/tools/action/${opposite}`)
      expect((await forge.call(root, `GET ${route}`)).status).not.toBe(before)
      await send(action, body)
      expect((await forge.call(root, `GET ${route}`)).status).toBe(before)
    }

    // What someone else has put into the browser leads to no other form.
    const planted = {
      text: "Done.",
      undo: { form: "settings.delete", path: { owner: "ann", repo: "tools" }, fields: { confirm: "ann/tools" } },
    }
    const page = await flashed(new Response(), `hearth_flash=${encodeURIComponent(JSON.stringify(planted))}`)
    expect(page).toContain("Done.")
    expect(page).not.toContain(">Undo<")
  })

  it("ask for the name before what can't be undone", async () => {
    const refused = await send(`${settings}/delete`, { confirm: "tools" })
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("must be ann/tools")])
    expect((await record("/repos/ann/tools")).name).toBe("tools")
  })
})
