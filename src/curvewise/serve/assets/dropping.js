// Files that are dropped or chosen, with the folders they are in.

const MAX_FOUND = 100000;
// Folders that hold no logs, and often very many files.
const IGNORED = new Set([".git", "__pycache__", "node_modules", "site-packages"]);

// Return the files of a drop; folders are walked. Entries must be taken before anything waits.
export async function droppedFiles(transfer) {
  const entries = [...transfer.items]
    .filter((item) => item.kind === "file")
    .map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry());
  if (!entries.length || entries.some((entry) => !entry)) {
    return [...transfer.files].map((file) => ({ name: file.name, file }));
  }
  const found = [];
  for (const entry of entries) await walk(entry, "", found);
  return found;
}

async function walk(entry, above, found) {
  if (found.length >= MAX_FOUND) return;
  const name = above + entry.name;
  if (entry.isFile) {
    const file = await new Promise((done, fail) => entry.file(done, fail));
    found.push({ name, file });
    return;
  }
  if (IGNORED.has(entry.name)) return;
  const reader = entry.createReader();
  for (;;) {
    // A folder is read in parts of a hundred entries.
    const part = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!part.length) return;
    for (const inner of part) await walk(inner, `${name}/`, found);
  }
}

export function chosenFiles(input) {
  return [...input.files]
    .map((file) => ({ name: file.webkitRelativePath || file.name, file }))
    .filter(({ name }) => !name.split("/").some((part) => IGNORED.has(part)));
}
