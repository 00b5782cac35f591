import { details, html, line, type Markup, markdown, plain, slack } from "./markup.ts"
import { type Payload, readPayload } from "./payload.ts"
import { type Summary, summarize } from "./summary.ts"

/** Messages for chat services: the JSON that each of them accepts. */

export interface MessageSource {
  readonly event: string
  readonly payload: unknown
  readonly options: Readonly<Record<string, string>>
}

type Message = (summary: Summary, payload: Payload, options: MessageSource["options"]) => object

const COLORS = { green: 0x1ac600, red: 0xff3232, yellow: 0xffd930, blue: 0x2b8bd4, grey: 0x999999 } as const
const hex = (color: Summary["color"]): string => COLORS[color].toString(16).padStart(6, "0")
const whole = (summary: Summary, markup: Markup, lineBreak = "\n"): string =>
  [line(summary.headline, markup), details(summary, markup, lineBreak)].filter((text) => text !== "").join(lineBreak)

const toSlack: Message = (summary, _payload, { channel = "", username = "", icon_url = "", color = "" }) => {
  const text = details(summary, slack)
  return {
    channel,
    text: line(summary.headline, slack),
    username,
    icon_url,
    unfurl_links: 0,
    link_names: 0,
    attachments: text === "" ? [] : [{ color: color || `#${hex(summary.color)}`, text }],
  }
}

const toDiscord: Message = (summary, { sender }) => ({
  // A name in a title must not mention everyone.
  allowed_mentions: { parse: [] },
  embeds: [
    {
      title: line(summary.headline, plain).slice(0, 256),
      description: details(summary, markdown).slice(0, 2_048),
      url: summary.link,
      color: COLORS[summary.color],
      author: { name: sender.login, url: sender.html_url, icon_url: sender.avatar_url },
    },
  ],
})

const toTeams: Message = (summary, { repository, sender }) => ({
  "@type": "MessageCard",
  "@context": "https://schema.org/extensions",
  themeColor: hex(summary.color),
  title: line(summary.headline, plain),
  summary: line(summary.headline, plain),
  sections: [
    {
      activityTitle: sender.login,
      activityImage: sender.avatar_url,
      text: details(summary, markdown, "\n\n"),
      facts: [{ name: "Repository:", value: repository.full_name }],
    },
  ],
  potentialAction: [{ "@type": "OpenUri", name: "View", targets: [{ os: "default", uri: summary.link }] }],
})

const toTelegram: Message = (summary) => ({ text: whole(summary, html), parse_mode: "HTML", disable_web_page_preview: true })

const toFeishu: Message = (summary) => ({ msg_type: "text", content: { text: `${whole(summary, plain)}\n${summary.link}` } })

const toMatrix: Message = (summary) => ({
  msgtype: "m.notice",
  body: whole(summary, plain),
  format: "org.matrix.custom.html",
  formatted_body: whole(summary, html, "<br>"),
})

const toDingtalk: Message = (summary) => ({
  msgtype: "actionCard",
  actionCard: {
    title: line(summary.headline, plain),
    text: whole(summary, markdown, "\n\n"),
    hideAvatar: "0",
    singleTitle: "View",
    singleURL: summary.link,
  },
})

const toWechatwork: Message = (summary) => ({ msgtype: "markdown", markdown: { content: whole(summary, markdown) } })

const MESSAGES: Readonly<Record<string, Message>> = {
  slack: toSlack,
  discord: toDiscord,
  msteams: toTeams,
  telegram: toTelegram,
  feishu: toFeishu,
  matrix: toMatrix,
  dingtalk: toDingtalk,
  wechatwork: toWechatwork,
}

/** The message for a receiver of this kind; undefined where there is nothing to say. */
export function messageFor(type: string, { event, payload: given, options }: MessageSource): object | undefined {
  const payload = readPayload(given)
  if (!payload) return undefined
  // Packagist only needs to know which repository has changed.
  if (type === "packagist") return event === "push" ? { repository: { url: payload.repository.html_url } } : {}
  const summary = summarize(event, payload)
  return summary && MESSAGES[type]?.(summary, payload, options)
}
