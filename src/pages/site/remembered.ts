import { anyone } from "../../access/policies/site.ts"
import { moved, type Page, page } from "../../core/page.ts"
import { withQuery } from "../../web/address.ts"
import { DIFF_CHOICE_NAMES, DIFF_CHOICES_PATH, diffChoices, readDiffChoices, writeDiffChoices } from "../../web/diff-choices.ts"
import { DISMISS_PATH, dismissedIn, THEME_PATH, THEMES } from "../../web/layout.ts"
import { text } from "../parts/sign-in/steps.ts"

const shared = { access: anyone, beforeSignIn: true } as const

/**
 * What a browser remembers of how its reader wants pages, from forms that lead back to the page that they stood on. It is no secret, and says nothing about
 * who they are. Where it remembers nothing, the settings of the account count; what everyone has needs no cookie, unless an account may say otherwise.
 */
export const rememberedPages: readonly Page[] = [
  page({
    ...shared,
    id: "remembered.theme",
    address: `POST ${THEME_PATH}`,
    query: { theme: text },
    answer: ({ actor, reader, query }) => {
      const theme = THEMES.find((each) => each === query.theme)
      return moved(reader.from, { keeps: { theme: theme === "auto" && actor.kind === "anonymous" ? undefined : theme } })
    },
  }),

  page({
    ...shared,
    id: "remembered.dismiss",
    address: `POST ${DISMISS_PATH}`,
    query: { mark: text },
    answer: ({ services, reader, query: { mark } }) => {
      const before = dismissedIn(reader.kept)
      // What is gone by now need not be remembered.
      const marks = services.announcements.marks().filter((each) => each === mark || before.includes(each))
      return moved(reader.from, { keeps: { dismissed: marks.length === 0 ? undefined : marks.join("_") } })
    },
  }),

  page({
    ...shared,
    id: "remembered.diffs",
    address: `POST ${DIFF_CHOICES_PATH}`,
    query: { forget: text, style: text, whitespace: text, lines: text },
    answer: ({ actor, reader, query }) => {
      const { forget = "", ...typed } = query
      if (forget !== "") return moved(reader.from, { keeps: { diffs: undefined } })
      const sent = DIFF_CHOICE_NAMES.filter((name) => typed[name] !== undefined && typed[name] !== "")
      const choices = Object.fromEntries(sent.map((name) => [name, typed[name]]))
      const diffs = writeDiffChoices(diffChoices({ ...readDiffChoices(reader.diffs), ...choices }))
      const isUsual = actor.kind === "anonymous" && diffs === writeDiffChoices(diffChoices({}))
      // What the address says would count more than what was chosen just now.
      const to = withQuery(reader.from, Object.fromEntries(sent.map((name) => [name, undefined])))
      return moved(to, { keeps: { diffs: isUsual ? undefined : diffs } })
    },
  }),
]
