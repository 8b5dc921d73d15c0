/** The commands in the order of `--help`. The code of a command is loaded only when the command is used. */
import type { Command } from './command.js';

/** A command as `--help` describes it, without loading its code. */
export interface ListedCommand {
  readonly name: string;
  /** Its syntax, such as `run <file>`. */
  readonly pattern: string;
  /** One line. */
  readonly about: string;
  readonly load: () => Promise<Command>;
}

export const COMMANDS: readonly ListedCommand[] = [
  listCommand('run <file>', 'Run a scenario and report the result', async () => (await import('./run.js')).run),
  listCommand(
    'init [what]',
    'Write a first scenario, test, workflow or device type into this folder',
    async () => (await import('./init.js')).init,
  ),
  listCommand(
    'capacity <file>',
    'Search the largest load at which all expectations of a scenario hold',
    async () => (await import('./capacity.js')).capacity,
  ),
  listCommand('clean <run>', 'Remove what a run left in another cloud', async () => (await import('./clean.js')).clean),
  listCommand(
    'compare <a> [b]',
    'Compare the figures of runs of a scenario with those of others',
    async () => (await import('./compare.js')).compare,
  ),
  listCommand(
    'runs [folder]',
    'List the runs below a folder with the trend of their figures, star a baseline, or remove runs',
    async () => (await import('./runs.js')).runs,
  ),
  listCommand(
    'report <run>',
    'Print the report of a run, or open its page',
    async () => (await import('./report.js')).report,
  ),
  listCommand(
    'ab <file>',
    'Run a scenario against two clouds in turn, and compare them',
    async () => (await import('./ab.js')).ab,
  ),
  listCommand(
    'explain [run] [what]',
    'Explain why downlinks took so long',
    async () => (await import('./explain.js')).explain,
  ),
  listCommand(
    'inspect [capture]',
    'Show the dialogues of devices in a capture of the wire, or measure their times',
    async () => (await import('./inspect.js')).inspect,
  ),
  listCommand(
    'what-if <run> [what]',
    'Say what would have happened without a fault, or with other settings',
    async () => (await import('./what-if.js')).whatIf,
  ),
  listCommand(
    'demo',
    'Run a cloud with 300 devices and its web console, 60 times as fast as real time',
    async () => (await import('./demo.js')).demo,
  ),
  listCommand(
    'serve',
    'Run the Device Cloud Service: REST API and UDP gateway',
    async () => (await import('./serve.js')).serve,
  ),
  listCommand(
    'worker',
    'Carry out parts of runs that "run --queue" divides among machines',
    async () => (await import('./worker.js')).worker,
  ),
  listCommand(
    'backup <db> <target>',
    'Copy the SQLite database of a service, also while it runs',
    async () => (await import('./backup.js')).backup,
  ),
  listCommand(
    'doctor [db]',
    'Check this machine; or say what is damaged in the SQLite database of a service, and save what can be read',
    async () => (await import('./doctor.js')).doctor,
  ),
  listCommand(
    'secrets <action> <db>',
    'Replace the key with which the database of a service encrypts secrets',
    async () => (await import('./secrets.js')).secrets,
  ),
  listCommand(
    'device <profile>',
    'Run one virtual device in real time, with its shell',
    async () => (await import('./device.js')).device,
  ),
  listCommand(
    'console [selector..]',
    'Attach to the devices of a run in real time, or send one line to many of them',
    async () => (await import('./console.js')).attachConsole,
  ),
  listCommand(
    'image <profile>',
    'Print a firmware image for virtual devices as JSON for POST …/firmware-images',
    async () => (await import('./image.js')).image,
  ),
  listCommand(
    'plan <file>',
    'Print what a scenario will do, without running it',
    async () => (await import('./plan.js')).plan,
  ),
  listCommand('validate <files..>', 'Check scenario files', async () => (await import('./validate.js')).validate),
  listCommand(
    'diverge <a> <b>',
    'Show the first event in which two runs differ',
    async () => (await import('./diverge.js')).diverge,
  ),
  listCommand(
    'shrink <file>',
    'Reduce a failing scenario to what it needs to fail in the same way',
    async () => (await import('./shrink.js')).shrink,
  ),
  listCommand(
    'scenario <action>',
    'Print the JSON Schema of scenarios for an editor',
    async () => (await import('./scenario.js')).scenario,
  ),
  listCommand(
    'profile <action> [profiles..]',
    'Check profile files, show a profile, or print the JSON Schema of profiles',
    async () => (await import('./profile.js')).profile,
  ),
  listCommand(
    'list <subject>',
    'List the scenarios, profiles, steps, setup, calls, executors, faults, metrics or invariants',
    async () => (await import('./list.js')).list,
  ),
  listCommand(
    'record',
    'Record the history of a space in a file for replay, without names, ids and bodies',
    async () => (await import('./record.js')).record,
  ),
  listCommand(
    'replay <recording>',
    'Replay a recording in virtual time and compare predicted with recorded deliveries',
    async () => (await import('./replay.js')).replay,
  ),
  listCommand(
    'fit <recording>',
    'Create a scenario whose devices behave like those of a recording',
    async () => (await import('./fit.js')).fit,
  ),
  listCommand(
    'mcp',
    'Serve devices, scenarios and runs to programs with a language model, over MCP',
    async () => (await import('./mcp.js')).mcp,
  ),
  listCommand(
    'completion <shell>',
    'Print a script with which bash, zsh or fish completes commands, options and names',
    async () => (await import('./completion.js')).completion,
  ),
];

function listCommand(pattern: string, about: string, load: () => Promise<Command>): ListedCommand {
  return { name: pattern.split(' ')[0] ?? pattern, pattern, about, load };
}
