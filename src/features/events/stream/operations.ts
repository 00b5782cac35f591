import { anyone } from "../../../access/policies/site.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import { repeatedText } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { recordStream } from "../../../core/streamed.ts"
import { LiveEvent } from "./records.ts"

/** What happens, as it happens. */
export const eventOperations: readonly Operation[] = [
  operation({
    id: "listEvents",
    since: "0.2.0",
    route: "GET /events",
    tag: "events",
    summary: "Follow what happens",
    description:
      "Everything that the caller may see at the moment when it is sent, oldest first, from the position `after` on, by default from now. Who accepts `text/event-stream` gets server-sent events that go on: the id of each is its position, and `Last-Event-ID` resumes where a stream ended. All others get what there is as lines of JSON, and in the header `X-Hearth-Position` where to go on. A position that is not kept any more is refused with 410, and the newest one.",
    // What a token needs depends on the event.
    scope: [],
    access: anyone,
    changesWithTime: true,
    query: {
      after: Type.Optional(Type.String({ description: "the position of the last event that is known", maxLength: 60 })),
      wait: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 60, description: "how many seconds to wait for something, where lines are asked for" }),
      ),
      repository: Type.Optional(repeatedText({ description: "full names of repositories: what happens in one of these" })),
      owner: Type.Optional(repeatedText({ description: "names of people and organisations: what happens in what is theirs" })),
      kind: Type.Optional(repeatedText({ description: "kinds, or what they begin with, such as `issue.`" })),
      involved: Type.Optional(
        Type.Boolean({
          description: "what the caller has done, what is about them, and the issues and pull requests that they take part in",
        }),
      ),
    },
    answers: { 200: recordStream(LiveEvent) },
    refuses: ["invalid", "gone", "tooMany", "busy", "notFound"],
    handle: async (call) => ok(await (await import("./answer.ts")).answerEvents(call)),
  }),
]
