import { parseInThread } from "../../../core/parser-thread.ts"
import { readDocument } from "./document.ts"

/** What runs in the thread that parses templates of issues. */
parseInThread(readDocument)
