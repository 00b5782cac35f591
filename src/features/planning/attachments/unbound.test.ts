import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"

const LIMIT = 1_000

withHearth(
  "files sent before their text",
  { people: ["ann", "ben", "cleo"], config: { attachments: { maxBytes: LIMIT } } },
  ({ test, forge, ann, ben, call }) => {
    const cookies = new Map<string, string>()
    test.beforeAll(async () => {
      for (const name of ["ann", "ben", "cleo"]) {
        const browser = openBrowser(forge.hearth.url)
        await browser.signIn(name, PASSWORD)
        cookies.set(name, [...browser.cookies].map(([key, value]) => `${key}=${value}`).join("; "))
      }
      for (const [name, more] of [
        ["box", {}],
        ["hush", { private: true }],
        ["still", {}],
      ] as const)
        await call(ann, "POST /user/repos", { name, auto_init: true, ...more })
    })

    const http = (who: string, path: string, init: RequestInit = {}, headers: Readonly<Record<string, string>> = {}) =>
      fetch(forge.hearth.url + path, {
        redirect: "manual",
        ...init,
        headers: { cookie: cookies.get(who) ?? "", "sec-fetch-site": "same-origin", ...headers },
      })

    const fileIn = (bytes: string, name: string, field = "attachment"): FormData => {
      const made = new FormData()
      made.append(field, new Blob([bytes]), name)
      return made
    }
    const send = (who: string, bytes = "picture", name = "shot.png", repo = "box") =>
      http(who, `/ann/${repo}/attachments`, { method: "POST", body: fileIn(bytes, name) }, { accept: "application/json" })
    const sent = async (who: string, ...more: [string?, string?, string?]): Promise<string> => {
      const answer = await send(who, ...more)
      expect(answer.status).toBe(200)
      return JSON.parse(await answer.text()).markdown
    }
    const pathIn = (markdown: string): string => /\((\/attachments\/[^)]+)\)/.exec(markdown)?.[1] ?? ""
    const statusOf = async (who: string, path: string): Promise<number> => {
      const answer = await http(who, path)
      await answer.arrayBuffer()
      return answer.status
    }
    const open = async (who: string, body: string, repo = "box"): Promise<number> =>
      (await call(who, `POST /repos/ann/${repo}/issues`, { title: "Text", body })).body.number
    const assetsOf = async (number: number): Promise<readonly string[]> =>
      (await call(ann, `GET /repos/ann/box/issues/${number}`)).body.assets.map(({ name }: { name: string }) => name)
    const onDisk = async (): Promise<readonly string[]> =>
      (await readdir(join(forge.hearth.services.config.dataDir, "attachments"), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)

    test("are their uploader's alone until a text names them", async () => {
      const markdown = await sent("ben")
      expect(markdown).toMatch(/^!\[shot.png\]\(\/attachments\/[0-9a-f-]{36}\)$/)
      const path = pathIn(markdown)
      expect([await statusOf("ben", path), await statusOf("ann", path), await statusOf("", path)]).toEqual([200, 404, 404])
      const number = await open(ben, `Look: ${markdown}`)
      expect([await statusOf("ann", path), await statusOf("", `/ann/box${path}`)]).toEqual([200, 200])
      expect(await assetsOf(number)).toEqual(["shot.png"])
      const { text } = await openBrowser(forge.hearth.url).get(`/ann/box/issues/${number}`)
      expect(text).toContain(`src="/ann/box${path}"`)
      expect(text).not.toContain("Attached files")
    })

    test("are bound by whichever verb writes the text, and only once", async () => {
      const number = await open(ben, "Nothing yet")
      const [inBody, inComment, inEdit] = [
        await sent("ben", "1", "a.txt"),
        await sent("ben", "2", "b.txt"),
        await sent("ben", "3", "c.txt"),
      ]
      await call(ben, `PATCH /repos/ann/box/issues/${number}`, { body: inBody })
      expect(await assetsOf(number)).toEqual(["a.txt"])
      const comment = (await call(ben, `POST /repos/ann/box/issues/${number}/comments`, { body: inComment })).body
      await call(ben, `PATCH /repos/ann/box/issues/comments/${comment.id}`, { body: `${inComment} ${inEdit}` })
      const { body } = await call(ann, `GET /repos/ann/box/issues/comments/${comment.id}`)
      expect(body.assets.map(({ name }: { name: string }) => name)).toEqual(["b.txt", "c.txt"])
      const other = await open(ben, inBody)
      expect([await assetsOf(other), await assetsOf(number)]).toEqual([[], ["a.txt"]])
    })

    test("of someone else, or of another repository, stay what they are", async () => {
      const markdown = await sent("ann")
      const elsewhere = await sent("ben", "x", "x.txt", "still")
      const number = await open(ben, `${markdown} ${elsewhere}`)
      expect(await assetsOf(number)).toEqual([])
      expect([await statusOf("ben", pathIn(markdown)), await statusOf("ann", pathIn(elsewhere))]).toEqual([404, 404])
    })

    test("are hidden with their repository, and refused where nothing can be written", async () => {
      expect((await send("ben", "x", "x.png", "hush")).status).toBe(404)
      expect((await send("", "x", "x.png")).status).toBe(303)
      await call(ann, "PATCH /repos/ann/still", { archived: true })
      expect((await send("ben", "x", "x.png", "still")).status).toBe(423)
      await call(ann, "PATCH /repos/ann/still", { archived: false, has_issues: false, has_pull_requests: false })
      expect((await send("ben", "x", "x.png", "still")).status).toBe(404)
      await call(ann, "PATCH /repos/ann/still", { has_issues: true })
      await call(ann, "PUT /user/blocks/cleo")
      expect((await send("cleo")).status).toBe(403)
      const foreign = await http(
        "ben",
        "/ann/box/attachments",
        { method: "POST", body: fileIn("x", "x.png") },
        { "sec-fetch-site": "cross-site" },
      )
      expect(foreign.status).toBe(403)
      const lost = await sent("ann", "x", "x.png", "hush")
      await call(ann, "DELETE /repos/ann/hush")
      expect(await statusOf("ann", pathIn(lost))).toBe(404)
    })

    test("have the limits of all attachments, and names that mean nothing in a text", async () => {
      await forge.hearth.services.jobs.drain()
      const before = (await onDisk()).length
      expect((await send("ben", "x".repeat(LIMIT + 1))).status).toBe(413)
      expect((await send("ben", "x", "run.exe")).status).toBe(422)
      expect((await send("ben", "x", "..")).status).toBe(422)
      expect((await onDisk()).length).toBe(before)
      const odd = await sent("ben", "x", "a](http://evil.example) @ann #1 \u202egnp.\"'<b>.png")
      expect(odd).not.toMatch(/[^\\]\]\(http|@|#1|\u202e/)
      const { text } = await preview("ben", odd)
      expect(text).toContain(`src="/ann/box${pathIn(odd)}"`)
      expect(text.split('id="preview"')[1]?.split("</section>")[0]).not.toContain("href=")
      const page = await sent("ben", "<script>alert(1)</script>", "page.svg")
      const answer = await http("ben", pathIn(page))
      expect(answer.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/)
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
    })

    const preview = (who: string, body: string) =>
      http(who, "/ann/box/preview", { method: "POST", body: new URLSearchParams({ preview: "body", body }) }).then(async (answer) => ({
        text: await answer.text(),
      }))

    test("are few, and go after a day unless a review that waits names them", async () => {
      const draft = await sent("ben", "x", "draft.txt")
      const path = pathIn(draft)
      await call(ann, "POST /repos/ann/box/contents/new.txt", {
        content: Buffer.from("one\n").toString("base64"),
        branch: "main",
        new_branch: "other",
      })
      const pull = (await call(ann, "POST /repos/ann/box/pulls", { title: "Add", head: "other", base: "main" })).body.number
      const review = await call(ben, `POST /repos/ann/box/pulls/${pull}/reviews`, {
        comments: [{ path: "new.txt", body: draft, new_position: 1 }],
      })
      expect(review.status).toBe(200)
      expect([await statusOf("ben", path), await statusOf("ann", path)]).toEqual([200, 404])

      const waiting = await Promise.all(Array.from({ length: 8 }, () => send("ben", "x".repeat(900))))
      const statuses = waiting.map(({ status }) => status)
      expect(statuses.filter((status) => status !== 200).every((status) => status === 429)).toBe(true)
      for (let sentNow = 0; sentNow < 120; sentNow++) if ((await send("ben", "x")).status === 429) break
      expect((await send("ben", "x")).status).toBe(429)
      expect((await send("ann", "x")).status).toBe(200)

      const { services } = forge.hearth
      const count = () =>
        services.database.read
          .selectFrom("attachments")
          .select((eb) => eb.fn.countAll<number>().as("all"))
          .where("issue_id", "is", null)
          .executeTakeFirstOrThrow()
          .then(({ all }) => Number(all))
      await services.jobs.tasks.run("forget_unbound_files")
      expect(await count()).toBeGreaterThan(50)
      await services.database.write((tx) =>
        tx
          .updateTable("attachments")
          .set((eb) => ({ created_at: eb("created_at", "-", 90_000) }))
          .execute(),
      )
      await services.jobs.tasks.run("forget_unbound_files")
      await services.jobs.drain()
      expect(await count()).toBe(1)
      expect(await statusOf("ben", path)).toBe(200)
      await call(ben, `POST /repos/ann/box/pulls/${pull}/reviews/${review.body.id}`, { event: "COMMENT", body: "Seen" })
      expect([await count(), await statusOf("ann", path)]).toEqual([0, 200])
    })

    /** The form as a browser without scripts sends it by the button that attaches. */
    const attach = (who: string, path: string, fields: Readonly<Record<string, string>>, files: readonly (readonly [string, string])[]) => {
      const body = new FormData()
      body.append("title", fields["title"] ?? "")
      for (const [name, bytes] of files) body.append("attach_files", new Blob([bytes]), name)
      for (const [name, value] of Object.entries(fields)) if (name !== "title") body.append(name, value)
      return http(who, path, { method: "POST", body }, { accept: "text/html" })
    }

    test("are attached without scripts: the form is shown again with what was typed, and nothing is done", async () => {
      const before = (await call(ann, "GET /repos/ann/box/issues?state=all")).body.length
      const fields = { title: "My “title”", body: "Typed <b>", attach: "body" }
      const answer = await attach("ben", "/ann/box/issues/new", fields, [
        ["one.txt", "1"],
        ["two.png", "2"],
      ])
      const text = await answer.text()
      expect(answer.status).toBe(200)
      expect(text).toContain("The files are attached to the text. Nothing is sent yet.")
      expect(text).toContain('value="My “title”"')
      expect(text).toMatch(/Typed &lt;b&gt;\n\[one.txt\]\(\/attachments\/[^)]+\)\n!\[two.png\]\(\/attachments\/[^)]+\)\n<\/textarea>/)
      expect((await call(ann, "GET /repos/ann/box/issues?state=all")).body.length).toBe(before)
      const number = await open(ben, "To comment on")
      const comment = await attach("ben", `/ann/box/issues/${number}/comments`, { body: "So", attach: "body" }, [["one.txt", "1"]])
      expect([comment.status, await comment.text()]).toEqual([200, expect.stringMatching(/So\n\[one.txt\]/)])
      const wrong = await attach("ben", `/ann/box/issues/${number}/comments`, { body: "So", attach: "body" }, [["one.exe", "1"]])
      expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringMatching(/must end in.*So<\/textarea>/s)])
      expect((await call(ann, `GET /repos/ann/box/issues/${number}/comments`)).body).toEqual([])
    })

    test("that were chosen and not attached keep a form from being sent without them", async () => {
      const number = await open(ben, "To comment on")
      const body = new URLSearchParams({ body: "So", attach_files: "one.txt" })
      const answer = await http("ben", `/ann/box/issues/${number}/comments`, { method: "POST", body }, { accept: "text/html" })
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("one.txt was chosen, but not attached")])
      expect((await call(ann, `GET /repos/ann/box/issues/${number}/comments`)).body).toEqual([])
    })

    test("leave what was typed when the session has ended", async () => {
      const number = await open(ben, "To comment on")
      const answer = await attach("", `/ann/box/issues/${number}/comments`, { body: "Long text", attach: "body" }, [["one.txt", "1"]])
      const text = await answer.text()
      expect([answer.status, text]).toEqual([401, expect.stringContaining('name="body" value="Long text"')])
      const fields = { body: "Long text", attach: "body", sign_in_login: "ben", sign_in_password: PASSWORD }
      const again = await http(
        "",
        `/ann/box/issues/${number}/comments`,
        { method: "POST", body: new URLSearchParams(fields) },
        { accept: "text/html" },
      )
      expect([again.status, await again.text()]).toEqual([200, expect.stringMatching(/choose the files again.*Long text<\/textarea>/s)])
      expect((await call(ann, `GET /repos/ann/box/issues/${number}/comments`)).body).toEqual([])
    })
  },
)
