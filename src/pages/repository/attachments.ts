import { refuse } from "../../core/errors.ts"
import { type Page, page, sentText } from "../../core/page.ts"
import { keepForText, markdownFor, onTextFiles } from "../../features/planning/attachments/keep.ts"

export const attachmentPages: readonly Page[] = [
  page({
    id: "attachments.keep",
    address: "POST /{owner}/{repo}/attachments",
    access: onTextFiles,
    receives: { field: "attachment", plain: false },
    answer: async (call) => {
      const { services, upload } = call
      if (!upload) throw refuse.badRequest()
      const file = await keepForText(services, call, upload)
      return sentText("application/json;charset=utf-8", JSON.stringify({ name: file.name, markdown: markdownFor(file) }))
    },
  }),
]
