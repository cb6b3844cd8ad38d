import { useAction } from './answer.ts';
import { Problem } from './problem.tsx';

/** A button that loads a text and saves it as a file. */
export function SaveButton(props: {
  readonly label: string;
  /** Name of the file, with its extension. */
  readonly file: string;
  readonly media: string;
  readonly load: () => Promise<string>;
}) {
  const save = useAction(props.load, (text) => {
    const address = URL.createObjectURL(new Blob([text], { type: props.media }));
    const link = document.createElement('a');
    link.href = address;
    link.download = props.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser reads the address after the click
  });
  return (
    <>
      <button type="button" class="quiet" disabled={save.busy} onClick={() => save.run()}>
        {props.label}
      </button>
      <Problem error={save.error} />
    </>
  );
}
