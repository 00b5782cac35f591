import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { openReviewWorld } from "../../../features/review/reviews/testing.ts"

withWorld("forms of pull requests", { open: openReviewWorld }, ({ test, world }) => {
  const as = async (name: string) => {
    const browser = openBrowser(world.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }

  test("a pull request is merged with the proposed message or another, and its branch restored and deleted", async () => {
    const on = await world.reviewed()
    const here = `/ann/${on.name}/pulls/${on.number}`
    const ben = await as("ben")
    const dee = await as("dee")
    const shown = await ben.get(here)
    expect([shown.status, faultsIn(shown.text)]).toEqual([200, []])
    const merge = shown.forms.find(({ action }) => action === `${here}/merge`)
    expect(merge?.fields).toMatchObject({ do: "merge", head_commit_id: on.head })
    expect(merge?.fields["merge_title_field"]).toContain(`#${on.number}`)
    const other = await dee.get(here)
    expect(other.forms.some(({ action }) => action === `${here}/merge`)).toBe(false)
    expect((await dee.post(`${here}/merge`, { do: "merge" })).status).toBe(405)

    const squash = await ben.get(`${here}?style=squash`)
    expect(squash.forms.find(({ action }) => action === `${here}/merge`)?.fields["do"]).toBe("squash")
    const stale = await ben.post(`${here}/merge`, {
      do: "squash",
      merge_title_field: "Typed <b>",
      merge_message_field: "body",
      head_commit_id: "0".repeat(40),
    })
    expect([stale.status, stale.text.includes('value="Typed &lt;b&gt;"')]).toEqual([409, true])

    const done = await ben.post(`${here}/merge`, {
      do: "squash",
      merge_title_field: "All in one",
      merge_message_field: "Because.",
      head_commit_id: on.head,
      delete_branch_after_merge: "true",
    })
    expect([done.status, done.location]).toEqual([303, here])
    const { body } = await on.get(on.number)
    expect(body.merged).toBe(true)
    const { commit } = await world.must(world.ann, `GET ${on.at}/git/commits/${body.merge_commit_sha}`)
    expect(commit.message.trimEnd()).toMatch(/^All in one\n\nBecause\./)
    expect((await on.on("GET", "branches/work")).status).toBe(404)

    const merged = await ben.get(here)
    const restore = merged.forms.find(({ action }) => action === `${here}/branch`)
    expect((await ben.post(`${here}/branch`, restore?.fields ?? {})).status).toBe(303)
    expect((await on.on("GET", "branches/work")).body.commit.id).toBe(on.head)
    expect((await ben.post(`${here}/branch/delete/work`, {})).status).toBe(303)
    expect((await on.on("GET", "branches/work")).status).toBe(404)
  })

  test("what waits for something is merged later, or now by those who may override the rule", async () => {
    const on = await world.reviewed()
    const here = `/ann/${on.name}/pulls/${on.number}`
    await world.must(world.ann, `POST ${on.at}/branch_protections`, { rule_name: "main", required_approvals: 1 })
    const ben = await as("ben")
    const page = await ben.get(here)
    expect(page.forms.some(({ action }) => action === `${here}/merge`)).toBe(false)
    const later = page.forms.find(({ action }) => action === `${here}/merge/later`)
    expect((await ben.post(`${here}/merge/later`, later?.fields ?? {})).status).toBe(303)
    const scheduled = await ben.get(here)
    expect(scheduled.text).toContain("Auto-merge: it will be merged")
    expect((await ben.post(`${here}/merge/cancel`, {})).status).toBe(303)
    expect((await ben.get(here)).text).not.toContain("Auto-merge: it will be merged")
    const again = await ben.post(`${here}/merge`, { do: "merge", merge_title_field: "Now" })
    expect([again.status, again.text.includes("enough approvals")]).toEqual([405, true])
  })

  test("drafts are made ready, bases changed, branches updated and merges by hand recorded", async () => {
    const on = await world.reviewed()
    await world.must(world.ann, `PATCH ${on.at}`, { allow_manual_merge: true })
    const here = `/ann/${on.name}/pulls/${on.number}`
    const ann = await as("ann")
    const title = async () => (await on.get(on.number)).body.title
    const button = async () => (await ann.get(here)).forms.find(({ action }) => action === `${here}/ready`)?.fields ?? {}
    await ann.post(`${here}/ready`, await button())
    expect(await title()).toBe("WIP: Bring work")
    await ann.post(`${here}/ready`, await button())
    expect(await title()).toBe("Bring work")

    await on.commit("main", "b.txt")
    const behind = await ann.get(here)
    expect(behind.forms.some(({ action, fields }) => action === `${here}/update` && fields["style"] === "rebase")).toBe(true)
    expect((await ann.post(`${here}/update`, { style: "merge" })).status).toBe(303)
    expect((await ann.get(here)).text).not.toContain("behind")

    await on.commit("other", "c.txt")
    const wrong = await ann.post(`${here}/base`, { base: "nowhere" })
    expect([wrong.status, wrong.text.includes('value="nowhere"')]).toEqual([404, true])
    expect((await ann.post(`${here}/base`, { base: "other" })).status).toBe(303)
    expect((await on.get(on.number)).body.base.ref).toBe("other")

    const refused = await ann.post(`${here}/merge/by-hand`, { merge_commit_id: "none" })
    expect([refused.status, refused.text.includes("Wrong commit ID")]).toEqual([409, true])
  })

  test("lines are commented on, in a review or alone, and conversations are gone on with and resolved", async () => {
    const on = await world.reviewed()
    const here = `/ann/${on.name}/pulls/${on.number}`
    const ben = await as("ben")
    const blank = await ben.get(`${here}/files?file=a.txt&comment=a.txt:R:0`)
    expect([blank.status, faultsIn(blank.text)]).toEqual([200, []])
    const page = await ben.get(`${here}/files?comment=a.txt:R:2-3`)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    const form = page.forms.find(({ action }) => action === `${here}/reviews/lines`)
    expect(form?.fields).toMatchObject({ path: "a.txt", first: "2", last: "3" })
    const wrong = await ben.post(`${here}/reviews/lines`, { path: "a.txt", side: "R", first: "2", last: "99", text: "Typed <i>" })
    expect([wrong.status, wrong.text.includes("Typed &lt;i&gt;"), wrong.text.includes("There is no line 99")]).toEqual([422, true, true])
    expect((await as("dee").then((dee) => dee.get(`${here}/files`))).text).not.toContain("Typed")

    const sent = await ben.post(`${here}/reviews/lines`, { ...form?.fields, side: "R", text: "Pending one", action: "review" })
    expect([sent.status, sent.location]).toEqual([303, expect.stringMatching(/R3$/)])
    const pending = await ben.get(`${here}/files`)
    expect(pending.text).toContain("Pending one")
    expect(pending.text).toContain("Lines 2 to 3")
    expect(faultsIn(pending.text)).toEqual([])
    expect((await as("ann").then((ann) => ann.get(`${here}/files`))).text).not.toContain("Pending one")
    const submit = pending.forms.find(({ action }) => /\/reviews\/\d+$/.test(action))
    const refused = await ben.post(submit?.action ?? "", { event: "REQUEST_CHANGES", body: "" })
    expect([refused.status, refused.text.includes("requires a body")]).toEqual([422, true])
    expect((await ben.post(submit?.action ?? "", { event: "REQUEST_CHANGES", body: "Not so" })).status).toBe(303)

    const ann = await as("ann")
    const talk = await ann.get(here)
    expect([talk.status, faultsIn(talk.text)]).toEqual([200, []])
    const reply = talk.forms.find(({ action }) => action.endsWith("/replies"))
    expect((await ann.post(reply?.action ?? "", { ...reply?.fields, body: "" })).status).toBe(422)
    expect((await ann.post(reply?.action ?? "", { ...reply?.fields, body: "An answer" })).status).toBe(303)
    const resolve = talk.forms.find(({ action }) => action.endsWith("/resolve"))
    expect((await ann.post(resolve?.action ?? "", resolve?.fields ?? {})).status).toBe(303)
    const dismiss = talk.forms.find(({ action }) => action.endsWith("/dismiss"))
    expect((await ann.post(dismiss?.action ?? "", { message: "Done since" })).status).toBe(303)
    const after = await ann.get(here)
    expect([after.text.includes("An answer"), after.text.includes("Resolved by"), after.text.includes("(dismissed)")]).toEqual([
      true,
      true,
      true,
    ])
    expect(after.forms.some(({ action }) => action.endsWith("/unresolve"))).toBe(true)
    expect((await as("dee").then((dee) => dee.post(resolve?.action ?? "", {}))).status).toBe(403)

    const asked = await ann.post(`${here}/reviewers`, { reviewers: "ben" })
    expect(asked.status).toBe(303)
    expect((await ann.get(here)).forms.some(({ action }) => action.endsWith("/reviewers/remove"))).toBe(true)
    expect((await ann.post(`${here}/reviewers/remove`, { reviewers: "ben" })).status).toBe(303)

    await ben.post(`${here}/reviews/lines`, { path: "a.txt", side: "R", first: "2", text: "Not kept", action: "review" })
    const again = await ben.get(`${here}/files`)
    const discard = again.forms.find(({ action }) => action.endsWith("/discard"))
    expect((await ben.post(discard?.action ?? "", {})).status).toBe(303)
    expect((await ben.get(`${here}/files`)).text).not.toContain("Not kept")
  })

  test("suggestions are committed, one or several at once", async () => {
    const on = await world.reviewed()
    const here = `/ann/${on.name}/pulls/${on.number}`
    const ben = await as("ben")
    const suggest = async (first: number, last: number, text: string) => {
      await ben.post(`${here}/reviews/lines`, {
        path: "a.txt",
        side: "R",
        first: String(first),
        last: String(last),
        text: `So:\n\`\`\`suggestion\n${text}\n\`\`\``,
      })
    }
    await suggest(1, 2, "ONE\nand a half\nTWO")
    await suggest(4, 4, "FOUR")
    const ann = await as("ann")
    const page = await ann.get(`${here}/files`)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    const ids = [...page.text.matchAll(/name="comment" value="(\d+)" form="suggestions"/g)].map(([, id = ""]) => id)
    expect(ids).toHaveLength(2)
    expect((await as("dee").then((dee) => dee.post(`${here}/suggestions`, { comment: ids[0] ?? "" }))).status).toBe(403)
    const body = new URLSearchParams({ message: "Take both" })
    for (const id of ids) body.append("comment", id)
    const answer = await fetch(`${world.hearth.url}${here}/suggestions`, {
      method: "POST",
      redirect: "manual",
      headers: { cookie: [...ann.cookies].map(([name, value]) => `${name}=${value}`).join("; "), "sec-fetch-site": "same-origin" },
      body,
    })
    expect(answer.status).toBe(303)
    const file = (await on.on("GET", "contents/a.txt?ref=work")).body
    expect(Buffer.from(file.content, "base64").toString()).toBe("ONE\nand a half\nTWO\nthree\nFOUR\n")
    const [commit] = (await on.on("GET", "commits?sha=work")).body
    expect(commit.commit.message).toMatch(/^Take both\n\nCo-authored-by: ben </)
    expect(commit.commit.author.name).toBe("ann")
    const again = await ann.post(`${here}/suggestions`, { comment: ids[0] ?? "" })
    expect(again.status).toBe(422)
  })

  test("a file that was viewed loses its mark when it changes", async () => {
    const on = await world.reviewed()
    const here = `/ann/${on.name}/pulls/${on.number}`
    await on.push("b.txt", "b\n")
    const ben = await as("ben")
    const page = await ben.get(`${here}/files`)
    expect(page.text).toContain("0 of 2 viewed")
    for (const form of page.forms.filter(({ action }) => action === `${here}/viewed`))
      expect((await ben.post(form.action, { ...form.fields, viewed: "true" })).status).toBe(303)
    expect((await ben.get(`${here}/files`)).text).toContain("2 of 2 viewed")
    expect((await as("ann").then((ann) => ann.get(`${here}/files`))).text).toContain("0 of 2 viewed")
    await on.push("b.txt", "c\n")
    expect((await ben.get(`${here}/files`)).text).toContain("1 of 2 viewed")
    expect((await ben.post(`${here}/viewed`, { path: "b.txt", blob: "no", viewed: "true" })).status).toBe(422)
  })

  test("a pull request is opened from the comparison, with a template, reviewers and labels, once", async () => {
    const { ann, must } = world
    const on = await world.repository()
    await on.commit("main", "pull_request_template.md", "What and why?\n")
    await on.commit("new-work", "b.txt")
    await on.commit("new-work", "c.txt")
    const label = await must(ann, `POST ${on.at}/labels`, { name: "bug", color: "#ff0000" })
    const here = `/ann/${on.name}/compare/main...new-work`
    const ben = await as("ben")
    const page = await ben.get(`${here}?expand=1`)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    expect(page.text).toContain("What and why?")
    const form = page.forms.find(({ action }) => action === here)
    const { base = "", head = "" } = form?.fields ?? {}
    const refused = await ben.post(here, { base, head, title: " ", body: "Typed <u>" })
    expect([refused.status, refused.text.includes("Typed &lt;u&gt;")]).toEqual([422, true])
    const fields = {
      base,
      head,
      title: "New work",
      body: "Because",
      draft: "true",
      reviewers: "ann",
      labels: String(label.id),
      milestone: "",
    }
    const [first, second] = await Promise.all([ben.post(here, fields), ben.post(here, fields)])
    expect([first.status, second.location]).toEqual([303, first.location])
    const pull = (await on.get(Number(/\d+$/.exec(first.location)?.[0]))).body
    expect(pull).toMatchObject({ title: "WIP: New work", draft: true, body: "Because" })
    expect([pull.labels[0]?.name, pull.requested_reviewers[0]?.login]).toEqual(["bug", "ann"])
    expect((await as("dee").then((dee) => dee.post(here, { ...fields, title: "Not mine" }))).status).toBe(403)
  })
})
