import { SWITCHES } from "../../../actions/external/names.ts"
import { ACTIVITY_KINDS } from "../../../events/feed/kinds.ts"
import { unitOf } from "../../../events/feed/rules.ts"
import { sealOf } from "../../../events/webhooks/rules.ts"
import { type Kind, leftOut, put, rows, sealed } from "../mapping/kind.ts"
import { isOn, json, members, moment, number, onOff, type SourceRow, text } from "../source/row.ts"
import { OWNER_GONE, ownedColumns, owningOf } from "./credentials.ts"

const GONE = { repository: "the repository is gone", person: "the account is gone" } as const

/** The switches that are on. */
function eventsOf(written: Readonly<Record<string, unknown>>): readonly string[] {
  if (isOn(written, "send_everything")) return SWITCHES
  if (isOn(written, "push_only")) return ["push"]
  const chosen = members(written["events"])
  return SWITCHES.filter((name) => isOn(chosen, name))
}

const SLACK = ["channel", "username", "icon_url", "color"] as const

const webhooks: Kind = {
  name: "webhooks",
  from: "webhook",
  into: "webhooks",
  map(row, world) {
    const [id, owning] = [number(row, "id"), owningOf(row, world)]
    if (!owning) return leftOut(OWNER_GONE)
    const events = members(json(row, "events"))
    const meta = members(json(row, "meta"))
    const type = text(row, "type") || "gitea"
    const header = text(row, "header_authorization_encrypted")
    const authorization = header === "" ? "" : world.old.text(header)
    return {
      rows: [
        put("webhooks", {
          id,
          ...ownedColumns(owning),
          is_system: onOff(row, "is_system_webhook"),
          type,
          name: text(row, "name"),
          url: text(row, "url"),
          content_type: number(row, "content_type") === 2 ? "form" : "json",
          sealed_secret: sealed(text(row, "secret"), sealOf(id, "secret")),
          sealed_authorization: sealed(authorization ?? "", sealOf(id, "authorization")),
          options: JSON.stringify(type === "slack" ? Object.fromEntries(SLACK.map((name) => [name, text(meta, name)])) : {}),
          events: JSON.stringify(eventsOf(events)),
          branch_filter: text(events, "branch_filter"),
          is_active: onOff(row, "is_active"),
          created_at: moment(row, "created_unix"),
          updated_at: moment(row, "updated_unix"),
        }),
      ],
      remark: authorization === undefined ? "its Authorization header was sealed with another key: enter it again" : undefined,
    }
  },
}

/** A moment in nanoseconds, as deliveries have it. */
const NANOSECONDS = 1_000_000_000

const deliveries: Kind = {
  name: "deliveries of webhooks",
  from: "hook_task",
  into: "webhook_deliveries",
  map(row, world) {
    const webhookId = number(row, "hook_id")
    if (!world.has("webhooks", webhookId)) return leftOut("the webhook is gone")
    const at = Math.floor(Number(row["delivered"] ?? 0) / NANOSECONDS)
    const [isTried, isDone] = [isOn(row, "is_delivered"), isOn(row, "is_succeed")]
    const [request, response] = [members(json(row, "request_content")), members(json(row, "response_content"))]
    const payload = text(row, "payload_content")
    const status = number(response, "status")
    return rows(
      put("webhook_deliveries", {
        id: number(row, "id"),
        webhook_id: webhookId,
        uuid: text(row, "uuid"),
        event: text(row, "event_type"),
        payload: payload === "" ? "{}" : payload,
        state: isDone ? "delivered" : "failed",
        attempts: isTried ? 1 : 0,
        created_at: at,
        started_at: at,
        attempted_at: isTried ? at : 0,
        next_attempt_at: 0,
        request: Object.keys(request).length === 0 ? "" : JSON.stringify(requestOf(request)),
        response: status === 0 ? "" : JSON.stringify({ status, headers: headersOf(response), body: text(response, "body") }),
        error: isDone
          ? ""
          : isTried
            ? status === 0
              ? text(response, "body") || "it failed"
              : `it answered ${status}`
            : "it was not sent before the move",
      }),
    )
  },
}

const requestOf = (request: SourceRow) => ({
  method: text(request, "http_method") || "POST",
  url: text(request, "url"),
  headers: headersOf(request),
  body: text(request, "body"),
})

const headersOf = (message: SourceRow) =>
  Object.fromEntries(
    Object.entries(members(message["headers"])).map(([name, value]) => [name, /^authorization$/i.test(name) ? "" : String(value)]),
  )

const activities: Kind = {
  name: "entries of feeds",
  from: "action",
  into: "activities",
  map(row, world) {
    const [receiverId, repositoryId] = [number(row, "user_id"), number(row, "repo_id")]
    if (!world.has("users", receiverId)) return leftOut(GONE.person)
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    const kind = ACTIVITY_KINDS[number(row, "op_type") - 1]
    if (kind === undefined) return leftOut(`there is no entry of the type ${number(row, "op_type")} here`)
    return rows(
      put("activities", {
        id: number(row, "id"),
        receiver_id: receiverId,
        actor_id: number(row, "act_user_id"),
        op_type: kind,
        repository_id: repositoryId,
        comment_id: number(row, "comment_id"),
        ref_name: text(row, "ref_name"),
        unit: unitOf(kind),
        is_private: onOff(row, "is_private"),
        is_hidden: onOff(row, "is_deleted"),
        content: text(row, "content"),
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

const STATUSES = [undefined, "unread", "read", "pinned"] as const
const SUBJECTS = [undefined, "issue", "pull", undefined, "repository"] as const

const notifications: Kind = {
  name: "notifications",
  from: "notification",
  into: "notifications",
  map(row, world) {
    const [userId, repositoryId, issueId] = [number(row, "user_id"), number(row, "repo_id"), number(row, "issue_id")]
    if (!world.has("users", userId)) return leftOut(GONE.person)
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    const [subject, status] = [SUBJECTS[number(row, "source")], STATUSES[number(row, "status")]]
    if (subject === undefined || status === undefined) return leftOut("it is about a commit, which nobody is notified of here")
    const isIssue = subject !== "repository"
    if (isIssue && !world.has("issues", issueId)) return leftOut("the issue is gone")
    return rows(
      put("notifications", {
        id: number(row, "id"),
        user_id: userId,
        repository_id: repositoryId,
        subject,
        issue_id: isIssue ? issueId : null,
        run_id: null,
        release_id: null,
        status,
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
    )
  },
}

export const eventKinds: readonly Kind[] = [webhooks, deliveries, activities, notifications]
