import { render } from 'preact';
import { Console } from './console.tsx';
import './style.css';

render(<Console />, document.getElementById('console')!);
