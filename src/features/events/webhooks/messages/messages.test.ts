import { describe, expect, it } from "vitest"
import { requestOf } from "../request.ts"
import { messageFor } from "./kinds.ts"

const common = {
  repository: { full_name: "ada/box", html_url: "https://hearth.example/ada/box" },
  sender: { login: "ada", avatar_url: "https://hearth.example/avatars/1", html_url: "https://hearth.example/ada" },
}
const push = {
  ...common,
  ref: "refs/heads/main",
  compare_url: "https://hearth.example/ada/box/compare/1...2",
  total_commits: 2,
  commits: [
    { id: "2".repeat(40), message: "Fix <b> & [more](x)\n\nAt length.", url: "https://hearth.example/c/2", author: { name: "Ada" } },
    { id: "1".repeat(40), message: "Begin", url: "https://hearth.example/c/1", author: { name: "Ada" } },
  ],
}
const subject = { number: 7, title: "It <flickers>", body: "See @everyone", html_url: "https://hearth.example/ada/box/issues/7" }
const issue = { ...common, action: "opened", issue: subject }

const say = (type: string, event: string, payload: unknown, options = {}) => messageFor(type, { event, payload, options })

describe("messages to chats", () => {
  it("for slack escape its marks and carry the channel", () => {
    const options = { channel: "#general", username: "robot", icon_url: "https://x.example/i.png", color: "#ff0000" }
    expect(say("slack", "push", push, options)).toEqual({
      channel: "#general",
      username: "robot",
      icon_url: "https://x.example/i.png",
      unfurl_links: 0,
      link_names: 0,
      text: "[<https://hearth.example/ada/box|ada/box>] <https://hearth.example/ada/box/compare/1...2|2 new commits> to main pushed by <https://hearth.example/ada|ada>",
      attachments: [
        {
          color: "#ff0000",
          text: "<https://hearth.example/c/2|2222222222>: Fix &lt;b&gt; &amp; [more](x) - Ada\n<https://hearth.example/c/1|1111111111>: Begin - Ada",
        },
      ],
    })
  })

  it("for discord mention no one", () => {
    expect(say("discord", "issues", issue)).toMatchObject({
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: "[ada/box] Issue #7 It <flickers> opened by ada",
          description: "See @everyone",
          url: subject.html_url,
          author: { name: "ada" },
        },
      ],
    })
  })

  it("say that something is there again, which to other receivers is made again", () => {
    const titleOf = (event: string, payload: object) => JSON.stringify(say("discord", event, { ...common, ...payload, restored: true }))
    expect(titleOf("issues", issue)).toContain("Issue #7 It <flickers> restored by ada")
    expect(titleOf("repository", { action: "created" })).toContain("Repository restored by ada")
  })

  it("for markdown take out the marks of others", () => {
    expect(say("dingtalk", "push", push)).toMatchObject({
      msgtype: "actionCard",
      actionCard: { text: expect.stringContaining("Fix \\<b\\> & \\[more\\]\\(x\\)"), singleURL: push.compare_url },
    })
    expect(say("wechatwork", "issues", issue)).toMatchObject({ msgtype: "markdown", markdown: { content: expect.stringContaining("#7") } })
    expect(say("msteams", "issues", issue)).toMatchObject({
      "@type": "MessageCard",
      themeColor: "1ac600",
      potentialAction: [{ targets: [{ uri: subject.html_url }] }],
    })
  })

  it("for telegram, matrix and feishu are text, as HTML where they take it", () => {
    expect(say("telegram", "issues", issue)).toMatchObject({
      parse_mode: "HTML",
      text: expect.stringContaining("It &lt;flickers&gt;</a>"),
    })
    expect(say("matrix", "issues", issue)).toMatchObject({
      msgtype: "m.notice",
      body: expect.stringContaining("It <flickers>"),
      formatted_body: expect.stringContaining("It &lt;flickers&gt;"),
    })
    expect(say("feishu", "issues", issue)).toMatchObject({ msg_type: "text", content: { text: expect.stringContaining(subject.html_url) } })
  })

  it("for packagist name the repository of a push, and nothing else", () => {
    expect(say("packagist", "push", push)).toEqual({ repository: { url: "https://hearth.example/ada/box" } })
    expect(say("packagist", "issues", issue)).toEqual({})
  })

  const text = (event: string, more: object) => {
    const message = say("feishu", event, { ...common, ...more })
    return JSON.stringify(message ?? null)
  }
  const of = { name: "tool", version: "1.0", html_url: "x", owner: { ...common.sender, login: "ada" } }
  it.each([
    ["create", { ref: "work", ref_type: "branch" }, "branch work created"],
    ["delete", { ref: "v1", ref_type: "tag" }, "tag v1 deleted"],
    ["fork", { forkee: { full_name: "ben/box", html_url: "x" } }, "ben/box forked"],
    ["repository", { action: "created" }, "Repository created"],
    ["repository", { action: "renamed", changes: { name: { from: "old" } } }, "Repository renamed from old"],
    ["release", { action: "published", release: { tag_name: "v1", name: "One", body: "New!", html_url: "x" } }, "Release One published"],
    ["status", { state: "failure", context: "ci", description: "3 broke", sha: "a".repeat(40) }, "ci: failure on aaaaaaaaaa"],
    ["issue_comment", { action: "created", issue: subject, comment: { body: "Still.", html_url: "x" } }, "Comment on issue #7"],
    ["pull_request", { action: "closed", pull_request: { ...subject, merged: true } }, "merged by"],
    ["pull_request_review_approved", { action: "reviewed", pull_request: subject, review: { content: "Fine" } }, "reviewed by"],
    ["pull_request_review_request", { action: "review_requested", pull_request: subject, requested_reviewer: common.sender }, ": ada by"],
    ["issue_label", { action: "label_updated", issue: subject }, "label updated"],
    ["merge_group", { action: "checks_requested", merge_group: { head_sha: "a".repeat(40) } }, "Merge queue: aaaaaaaaaa is tested by"],
    ["merge_group", { action: "destroyed", reason: "merged", merge_group: { head_sha: "a".repeat(40) } }, "aaaaaaaaaa has landed by"],
    ["wiki", { action: "edited", page: "Home" }, "Wiki page Home edited"],
    ["package", { action: "created", package: of }, "[ada/box] Package tool 1.0 created by"],
    ["package", { action: "deleted", package: of, repository: null }, "[ada] Package tool 1.0 deleted by"],
  ])("say what happened: %s", (event, more, words) => {
    expect(text(event, more)).toContain(words)
  })

  it("are none where there is nothing to say", () => {
    expect(say("slack", "push", { ...push, commits: [], total_commits: 0 })).toBeUndefined()
    expect(say("slack", "push", { nonsense: true })).toBeUndefined()
    expect(say("slack", "issues", common)).toBeUndefined()
  })
})

describe("requests of a kind", () => {
  const opened = { secret: "", authorization: "Bearer key", target: "repository", position: "" } as const
  const request = (type: string, url: string) => {
    const delivery = { uuid: "u-1", event: "issues", payload: JSON.stringify(issue) }
    return requestOf({ type, url, content_type: "json", options: "{}" }, delivery, 1, opened)
  }

  it("go to matrix under the delivery's id, so that a second attempt says nothing twice", () => {
    expect(request("matrix", "https://matrix.example/rooms/!r:x/send/m.room.message")).toMatchObject({
      method: "PUT",
      url: "https://matrix.example/rooms/!r:x/send/m.room.message/u-1",
      headers: { Authorization: "Bearer key" },
    })
  })

  it("go to feishu without the headers of deliveries", () => {
    expect(Object.keys(request("feishu", "https://open.feishu.example/hook/1")?.headers ?? {})).toEqual(["Content-Type", "Authorization"])
    expect(Object.keys(request("slack", "https://chat.example/1")?.headers ?? {})).toContain("X-Gitea-Delivery")
  })
})
